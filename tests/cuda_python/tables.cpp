// The types of the operators as tables, and kernels that have all operators and functions.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels.
#include "tests/cuda_python/kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spio::cuda_python_test {

namespace {

// The most generic of two types: a row for each left operand, in the order of number_types.
constexpr std::string_view generic_table[] = {
    "i8   i16  i32  i64  i8   u16  u32  u64  f32  f64  c64  c128",
    "i16  i16  i32  i64  i16  i16  u32  u64  f32  f64  c64  c128",
    "i32  i32  i32  i64  i32  i32  i32  u64  f32  f64  c64  c128",
    "i64  i64  i64  i64  i64  i64  i64  i64  f32  f64  c64  c128",
    "i8   i16  i32  i64  u8   u16  u32  u64  f32  f64  c64  c128",
    "u16  i16  i32  i64  u16  u16  u32  u64  f32  f64  c64  c128",
    "u32  u32  i32  i64  u32  u32  u32  u64  f32  f64  c64  c128",
    "u64  u64  u64  i64  u64  u64  u64  u64  f32  f64  c64  c128",
    "f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128",
    "f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128",
    "c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
};
// The types of quotients by / and by //, for integers and reals, in the same order.
constexpr std::string_view quotient_table[] = {
    "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64", "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64",
    "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64", "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
    "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64", "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64",
    "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64", "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
    "f32 f32 f32 f64 f32 f32 f32 f64 f32 f64", "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
};
constexpr std::string_view floor_table[] = {
    "i32 i32 i32 i64 i32 u32 u32 u64 i32 i64", "i32 i32 i32 i64 i32 i32 u32 u64 i32 i64",
    "i32 i32 i32 i64 i32 i32 i32 u64 i32 i64", "i64 i64 i64 i64 i64 i64 i64 i64 i32 i64",
    "i32 i32 i32 i64 u32 u32 u32 u64 i32 i64", "u32 i32 i32 i64 u32 u32 u32 u64 i32 i64",
    "u32 u32 i32 i64 u32 u32 u32 u64 i32 i64", "u64 u64 u64 i64 u64 u64 u64 u64 i32 i64",
    "i32 i32 i32 i32 i32 i32 i32 i32 i32 i64", "i64 i64 i64 i64 i64 i64 i64 i64 i64 i64",
};

constexpr std::size_t integer_count = 8; // the integers are the first number_types

// The place of a type in number_types.
std::size_t number_of(std::string_view type) {
    return static_cast<std::size_t>(std::ranges::find(number_types, type) - number_types);
}

// A column of a row, such as i32, as the name of the type: int32.
std::string entry(std::string_view row, std::size_t column) {
    for (; column > 0; --column) {
        row.remove_prefix(row.find(' '));
        row.remove_prefix(row.find_first_not_of(' '));
    }
    auto const code = row.substr(0, row.find(' '));
    constexpr std::string_view letters = "iufc";
    constexpr std::string_view names[] = {"int", "uint", "float", "complex"};
    return std::string(names[letters.find(code.front())]) + std::string(code.substr(1));
}

// Whether an operation is in a list with blanks between.
bool is_one_of(std::string_view operation, std::string_view list) {
    return (" " + std::string(list) + " ").find(" " + std::string(operation) + " ") !=
           std::string::npos;
}

} // namespace

std::string result_type(std::string_view operation, std::string_view left, std::string_view right) {
    auto const i = number_of(left), j = number_of(right);
    constexpr std::size_t reals = 10; // integers and reals come before complex numbers
    if (is_one_of(operation, "+ - *")) return entry(generic_table[i], j);
    if (i >= reals || j >= reals) return {}; // no other operator takes complex numbers
    if (is_one_of(operation, "< <= > >= == !=")) return "bool";
    if (operation == "/") return entry(quotient_table[i], j);
    if (operation == "//") return entry(floor_table[i], j);
    if (operation == "%") return entry(generic_table[i], j);
    bool const is_bitwise = is_one_of(operation, "& | ^ << >>");
    return is_bitwise && i < integer_count && j < integer_count ? entry(generic_table[i], j) : "";
}

std::vector<test_kernel> operator_kernels(bool has_floor_division, int step) {
    std::vector<test_kernel> kernels;
    constexpr std::string_view every_operator[] = {"+", "-", "*",  "/",  "//", "%", "&",
                                                   "|", "^", "<<", ">>", "<",  "=="};
    constexpr std::string_view divisions[] = {"//", "%"};
    int pair = 0;
    for (auto const left : number_types) {
        for (auto const right : number_types) {
            if (left != right && pair++ % step != 0) continue;
            auto const name = std::string(left) + "_" + std::string(right);
            std::string parameters = "a, b", body, types = std::string(left) + "[:], ";
            types += std::string(right) + "[:]";
            int count = 0;
            auto const store = [&](std::string const& value, std::string const& type) {
                auto const output = "o" + std::to_string(count++);
                parameters += ", " + output;
                types += ", " + type + "[:]";
                body += "    " + output + "[i] = " + value + "\n";
            };
            auto const add = [&](std::string_view operation) {
                auto const type = result_type(operation, left, right);
                if (!type.empty()) store("x " + std::string(operation) + " y", type);
            };
            if (has_floor_division) {
                for (auto const operation : divisions) add(operation);
            } else {
                for (auto const operation : every_operator) add(operation);
                // An integer is stored as an int64, which shows whether it had the width of x.
                bool const is_integer = number_of(left) < integer_count;
                auto const wide = is_integer ? "int64" : std::string(left);
                if (left == right) store("-x", wide);
                if (left == right && is_integer) store("~x", wide);
            }
            if (body.empty()) continue;
            kernels.push_back({.text = "@cuda.jit\ndef " + name + "(" + parameters +
                                       "):\n    i = cuda.grid(1)\n    x = a[i]\n    y = b[i]\n" +
                                       body,
                               .kernel = name,
                               .signature = types,
                               .threads = interesting_count * interesting_count,
                               .has_floor_division = has_floor_division});
        }
    }
    return kernels;
}

// The number is a quotient in all rounds but the first, and stands in a loop that is unrolled:
// there ptxas 13.0 made one instruction of a negation, a shift and a sum. Compilers do not know n.
std::vector<test_kernel> negative_kernels() {
    constexpr std::pair<std::string_view, std::string_view> negatives[] = {
        {"negate", "-x"},
        {"zero", "TYPE(0) - x"},
        {"cast", "TYPE(-int64(x))"},
        {"wide", "TYPE(0 - x)"},
        {"product", "x * TYPE(-1)"},
        {"complement", "~x + TYPE(1)"},
        {"difference", "TYPE(n) - (TYPE(n) + x)"},
        {"quotient", "TYPE(x // TYPE(-1))"},
        {"unsigned", "TYPE(-uTYPE(x))"},
    };
    constexpr std::pair<std::string_view, std::string_view> uses[] = {
        {"widened", "b[i] += int64(y)"},
        {"subtracted", "b[i] -= int64(y)"},
        {"shifted_out", "b[i] += y >> (~k)"},
        {"shifted", "b[i] += y >> TYPE(5)"},
        {"shifted_wide", "b[i] += y >> 5"},
        {"shifted_left", "b[i] += y << TYPE(2)"},
        {"divided", "b[i] += y // TYPE(16)"},
        {"divided_wide", "b[i] += y // 16"},
        {"remaining", "b[i] += y % TYPE(16)"},
        {"negative", "b[i] += y // TYPE(-4)"},
        {"as_unsigned", "b[i] += uint32(y) >> uint32(5)"},
        {"high", "b[i] += (c[i] + int64(y)) >> 32"},
    };
    std::vector<test_kernel> kernels;
    auto const add = [&](std::string const& type, std::string const& sum, auto negative, auto use) {
        auto const name = std::string(negative.first) + "_" + std::string(use.first);
        auto const spelled = [&](std::string_view expression) {
            std::string text(expression);
            constexpr std::string_view word = "TYPE";
            for (auto place = text.find(word); place != std::string::npos;
                 place = text.find(word)) {
                text.replace(place, word.size(), type);
            }
            return text;
        };
        kernels.push_back({.text = "@cuda.jit\ndef " + name +
                                   "(a, b, c, n):\n    i = cuda.grid(1)\n    t = cuda.threadIdx.x\n"
                                   "    for k in range(7, 0, -1):\n        x = a[i]\n        y = " +
                                   spelled(negative.second) + "\n        " + spelled(use.second) +
                                   "\n        a[i] = t // (n - 8)\n",
                           .kernel = name,
                           .signature = type + "[:], " + sum + "[:], int64[:], int32",
                           .numbers = {13}});
    };
    for (auto const& negative : negatives) {
        for (auto const& use : uses) {
            for (auto const* sum : {"int16", "int32", "int64"}) add("int32", sum, negative, use);
            for (auto const* type : {"int8", "int16"}) add(type, "int64", negative, use);
        }
    }
    return kernels;
}

std::vector<test_kernel> math_kernels() {
    constexpr std::string_view unary[] = {"acos",  "asin", "atan",  "arctan", "acosh", "asinh",
                                          "atanh", "cos",  "sin",   "tan",    "cosh",  "sinh",
                                          "tanh",  "exp",  "expm1", "fabs",   "log",   "log10",
                                          "log1p", "sqrt", "ceil",  "floor",  "isnan", "isinf"};
    constexpr std::string_view binary[] = {"atan2", "pow", "copysign", "fmod"};
    std::vector<test_kernel> kernels;
    auto const add = [&](std::string_view function, bool is_binary) {
        bool const is_predicate = function.starts_with("is");
        auto const name = "math_" + std::string(function);
        auto const call = [&](std::string const& x, std::string const& y) {
            return "math." + std::string(function) + "(" + x + (is_binary ? ", " + y : "") + ")\n";
        };
        auto const result = [&](std::string const& type) {
            return (is_predicate ? "bool" : type) + "[:]";
        };
        kernels.push_back(
            {.text = "@cuda.jit\ndef " + name +
                     "(a, b, c, d, e, f, o, p, q, r):\n    i = cuda.grid(1)\n    o[i] = " +
                     call("a[i]", "b[i]") + "    p[i] = " + call("c[i]", "d[i]") +
                     "    q[i] = " + call("e[i]", "e[i]") + "    r[i] = " + call("f[i]", "f[i]"),
             .kernel = name,
             .signature = "float32[:], float32[:], float64[:], float64[:], int16[:], int64[:], " +
                          result("float32") + ", " + result("float64") + ", " + result("float32") +
                          ", " + result("float64"),
             .threads = interesting_count * interesting_count});
    };
    for (auto const function : unary) add(function, false);
    for (auto const function : binary) add(function, true);
    return kernels;
}

namespace {

// Numbers at which operators may go wrong: limits, their neighbours and halves, zeros, units.
template <class T> std::vector<T> interesting() {
    using limits = std::numeric_limits<T>;
    if constexpr (limits::is_integer) {
        auto const most = limits::max();
        auto const least = limits::min();
        return {0,
                1,
                2,
                3,
                7,
                static_cast<T>(-1),
                static_cast<T>(-2),
                static_cast<T>(-7),
                least,
                static_cast<T>(least + 1),
                most,
                static_cast<T>(most / 2 + 1)};
    } else {
        return {T(0),
                T(-0.0),
                T(1),
                T(-1),
                T(0.5),
                T(-2.5),
                T(7),
                T(3.1),
                T(-7),
                T(1e10),
                limits::infinity(),
                limits::quiet_NaN()};
    }
}

// Those numbers as the bytes of an array, so that two arrays have every pair: in one with an even
// number each value comes 12 times, in the other they alternate. A complex number has two parts.
template <class T> std::vector<unsigned char> bytes_of(int count, int number, int parts = 1) {
    auto const values = interesting<T>();
    std::vector<unsigned char> bytes;
    for (int i = 0; i < count; ++i) {
        for (int part = 0; part < parts; ++part) {
            int const chosen = number % 2 == 0 ? i / interesting_count : i + 5 * part;
            auto const value = values[static_cast<std::size_t>(chosen % interesting_count)];
            unsigned char raw[sizeof value];
            std::memcpy(raw, &value, sizeof value);
            bytes.insert(bytes.end(), raw, raw + sizeof value);
        }
    }
    return bytes;
}

} // namespace

std::vector<unsigned char> values_of_interest(std::string_view type, int count, int number) {
    if (type == "bool") return std::vector<unsigned char>(static_cast<std::size_t>(count), 0);
    if (type == "int8") return bytes_of<std::int8_t>(count, number);
    if (type == "int16") return bytes_of<std::int16_t>(count, number);
    if (type == "int32") return bytes_of<std::int32_t>(count, number);
    if (type == "int64") return bytes_of<std::int64_t>(count, number);
    if (type == "uint8") return bytes_of<std::uint8_t>(count, number);
    if (type == "uint16") return bytes_of<std::uint16_t>(count, number);
    if (type == "uint32") return bytes_of<std::uint32_t>(count, number);
    if (type == "uint64") return bytes_of<std::uint64_t>(count, number);
    if (type == "float32") return bytes_of<float>(count, number);
    if (type == "float64") return bytes_of<double>(count, number);
    if (type == "complex64") return bytes_of<float>(count, number, /*parts=*/2);
    return bytes_of<double>(count, number, /*parts=*/2);
}

} // namespace spio::cuda_python_test
