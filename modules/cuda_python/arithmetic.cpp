// The operators on values of the interpreter, as the language defines them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A cell is the value
// of one thread: an integer, or the parts of a real or complex number.
module;

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

module spio.cuda_python;

import :cells;
import :tree;

namespace spio::cuda_python {

namespace {

using unsigned64 = std::uint64_t;

// The low bits of x, as many as the type has, extended to 64 bits.
std::int64_t wrapped(unsigned64 x, scalar type) {
    if (type.bits == 64) return static_cast<std::int64_t>(x);
    auto const low = x & ((unsigned64(1) << type.bits) - 1);
    bool const is_negative = type.kind == kind::signed_integer && (low >> (type.bits - 1)) != 0;
    return static_cast<std::int64_t>(low - (is_negative ? unsigned64(1) << type.bits : 0));
}

bool is_unsigned(scalar type) { return type.kind == kind::unsigned_integer; }

// x rounded to zero. Beyond the range of the type the nearest limit, and 0 for NaN.
std::int64_t saturated(double x, scalar type) {
    if (std::isnan(x)) return 0;
    auto const magnitude = std::ldexp(1.0, type.bits - (is_unsigned(type) ? 0 : 1));
    if (is_unsigned(type)) {
        if (x <= 0) return 0;
        return wrapped(x >= magnitude ? ~unsigned64(0) : static_cast<unsigned64>(x), type);
    }
    if (x >= magnitude) return static_cast<std::int64_t>(~unsigned64(0) >> (65 - type.bits));
    if (x <= -magnitude) return wrapped(unsigned64(1) << (type.bits - 1), type);
    return static_cast<std::int64_t>(x);
}

// x in the precision of a type.
double rounded(double x, scalar type) {
    bool const is_short = type == float32 || type == complex64;
    return is_short ? static_cast<double>(static_cast<float>(x)) : x;
}

// From an integer at once to the type's precision.
double real_of(std::int64_t x, scalar type, scalar target) {
    bool const is_short = target == float32 || target == complex64;
    if (is_unsigned(type)) {
        auto const bits = static_cast<unsigned64>(x);
        return is_short ? static_cast<double>(static_cast<float>(bits)) : static_cast<double>(bits);
    }
    return is_short ? static_cast<double>(static_cast<float>(x)) : static_cast<double>(x);
}

template <class T> bool compared(operation operation, T a, T b) {
    switch (operation) {
    case "<"_binary:
        return a < b;
    case "<="_binary:
        return a <= b;
    case ">"_binary:
        return a > b;
    case ">="_binary:
        return a >= b;
    case "=="_binary:
        return a == b;
    default:
        return a != b;
    }
}

// A quotient or a remainder; 0 if b is 0. The quotient is rounded down if `floors`, else to zero.
std::int64_t divided(operation operation, std::int64_t a, std::int64_t b, scalar type,
                     scalar result, bool floors) {
    if (b == 0) return 0;
    bool const is_quotient = operation == "//"_binary;
    if (is_unsigned(type)) {
        auto const x = static_cast<unsigned64>(a), y = static_cast<unsigned64>(b);
        return static_cast<std::int64_t>(is_quotient ? x / y : x % y);
    }
    if (b == -1) return is_quotient ? wrapped(0 - static_cast<unsigned64>(a), result) : 0;
    bool const is_below = floors && a % b != 0 && (a < 0) != (b < 0);
    return is_quotient ? a / b - is_below : a % b + (is_below ? b : 0);
}

// Of two integers of a type; a shift by a distance beyond the type's bits is defined, too.
std::int64_t integer_result(operation operation, std::int64_t a, std::int64_t b, scalar type) {
    auto const x = static_cast<unsigned64>(a), y = static_cast<unsigned64>(b);
    bool const is_out = b < 0 || b >= type.bits;
    switch (operation) {
    case "+"_binary:
        return wrapped(x + y, type);
    case "-"_binary:
        return wrapped(x - y, type);
    case "*"_binary:
        return wrapped(x * y, type);
    case "&"_binary:
        return a & b;
    case "|"_binary:
        return a | b;
    case "^"_binary:
        return a ^ b;
    case "<<"_binary:
        return is_out ? 0 : wrapped(x << b, type);
    case ">>"_binary:
        if (is_unsigned(type)) return is_out ? 0 : static_cast<std::int64_t>(x >> b);
        return is_out ? (a < 0 ? -1 : 0) : a >> b;
    case "-"_unary:
        return wrapped(0 - x, type);
    default:
        return wrapped(~x, type);
    }
}

// The result of an operator in the precision Real.
template <class Real> cell real_result(operation operation, Real a, Real b, bool floors) {
    auto const real = [](Real x) { return cell{.real = x}; };
    switch (operation) {
    case "+"_binary:
        return real(a + b);
    case "-"_binary:
        return real(a - b);
    case "*"_binary:
        return real(a * b);
    case "/"_binary:
        return real(a / b);
    case "-"_unary:
        return real(-a);
    default:
        break;
    }
    Real rest = std::fmod(a, b);
    bool const is_below = floors && rest != 0 && (rest < 0) != (b < 0);
    if (operation == "%"_binary) {
        if (is_below) rest += b;
        if (floors && rest == 0) rest = std::copysign(Real(0), b);
        return real(rest);
    }
    Real const near = (a - rest) / b;
    Real rounded_quotient = std::floor(near);
    if (near - rounded_quotient > Real(0.5)) rounded_quotient += 1;
    auto const type = scalar{kind::signed_integer, 8 * static_cast<int>(sizeof(Real))};
    return {.integer = saturated(
                static_cast<double>(is_below ? rounded_quotient - 1 : rounded_quotient), type)};
}

template <class Real> cell complex_result(operation operation, cell const& a, cell const& b) {
    auto const ar = static_cast<Real>(a.real), ai = static_cast<Real>(a.imaginary);
    auto const br = static_cast<Real>(b.real), bi = static_cast<Real>(b.imaginary);
    switch (operation) {
    case "+"_binary:
        return {.real = ar + br, .imaginary = ai + bi};
    case "-"_binary:
        return {.real = ar - br, .imaginary = ai - bi};
    case "*"_binary:
        return {.real = ar * br - ai * bi, .imaginary = ar * bi + ai * br};
    default:
        return {.real = -ar, .imaginary = -ai};
    }
}

// The value of a function of the module math in the precision Real.
template <class Real> cell math_result(std::string_view name, Real x, Real y) {
    if (name == "isnan") return {.integer = std::isnan(x)};
    if (name == "isinf") return {.integer = std::isinf(x)};
    constexpr std::pair<std::string_view, Real (*)(Real)> functions[] = {
        {"acos", std::acos},   {"asin", std::asin},   {"atan", std::atan},   {"arctan", std::atan},
        {"acosh", std::acosh}, {"asinh", std::asinh}, {"atanh", std::atanh}, {"cos", std::cos},
        {"sin", std::sin},     {"tan", std::tan},     {"cosh", std::cosh},   {"sinh", std::sinh},
        {"tanh", std::tanh},   {"exp", std::exp},     {"expm1", std::expm1}, {"fabs", std::fabs},
        {"log", std::log},     {"log10", std::log10}, {"log1p", std::log1p}, {"sqrt", std::sqrt},
        {"ceil", std::ceil},   {"floor", std::floor},
    };
    for (auto const& [known, function] : functions) {
        if (known == name) return {.real = function(x)};
    }
    if (name == "atan2") return {.real = std::atan2(x, y)};
    if (name == "pow") return {.real = std::pow(x, y)};
    if (name == "copysign") return {.real = std::copysign(x, y)};
    return {.real = std::fmod(x, y)};
}

} // namespace

cell converted(cell const& x, scalar type, scalar target) {
    if (target.is_boolean()) return {.integer = type.is_real() ? x.real != 0 : x.integer != 0};
    if (target.is_integer()) {
        return {.integer = type.is_real() ? saturated(x.real, target)
                                          : wrapped(static_cast<unsigned64>(x.integer), target)};
    }
    if (!type.is_real() && !type.is_complex()) return {.real = real_of(x.integer, type, target)};
    return {.real = rounded(x.real, target), .imaginary = rounded(x.imaginary, target)};
}

// The value of `a operation b`. Both operands have been converted to `type`; `result` is the type
// of the value. With `floors`, quotients are rounded down, as Python does; otherwise toward 0.
cell operated(operation operation, cell const& a, cell const& b, scalar type, scalar result,
              bool floors) {
    bool const is_comparison = operation >= "<"_binary && operation <= "!="_binary;
    if (operation == "not"_unary) return {.integer = a.integer == 0};
    if (is_comparison) {
        if (type.is_real()) return {.integer = compared(operation, a.real, b.real)};
        if (!is_unsigned(type)) return {.integer = compared(operation, a.integer, b.integer)};
        return {.integer = compared(operation, static_cast<unsigned64>(a.integer),
                                    static_cast<unsigned64>(b.integer))};
    }
    if (type == complex64) return complex_result<float>(operation, a, b);
    if (type == complex128) return complex_result<double>(operation, a, b);
    if (type == float64) return real_result(operation, a.real, b.real, floors);
    if (type == float32) {
        return real_result(operation, static_cast<float>(a.real), static_cast<float>(b.real),
                           floors);
    }
    bool const is_division = operation == "//"_binary || operation == "%"_binary;
    if (is_division)
        return {.integer = divided(operation, a.integer, b.integer, type, result, floors)};
    return {.integer = integer_result(operation, a.integer, b.integer, type)};
}

cell math_of(std::string_view name, cell const& x, cell const& y, scalar type) {
    if (type == float64) return math_result(name, x.real, y.real);
    return math_result(name, static_cast<float>(x.real), static_cast<float>(y.real));
}

} // namespace spio::cuda_python
