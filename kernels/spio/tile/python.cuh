// Casts, arithmetic whose results are always defined, and arrays, for text made of CUDA Python.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python, from whose functions Spio writes kernels: their text
// calls these functions, and has the operators and the limits of that language.
#pragma once

#include "machine/elementary.h"
#include "machine/thread.h"

namespace spio::python {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;

template <class Real> struct complex {
    Real real, imaginary;
};
using complex64 = complex<float32>;
using complex128 = complex<float64>;

template <class T> inline constexpr bool is_real = false;
template <> inline constexpr bool is_real<float32> = true;
template <> inline constexpr bool is_real<float64> = true;
template <class T> inline constexpr bool is_complex = false;
template <class Real> inline constexpr bool is_complex<complex<Real>> = true;
template <class T> inline constexpr bool is_bool = false;
template <> inline constexpr bool is_bool<bool> = true;
template <class T> inline constexpr bool is_signed = T(-1) < T(0);
template <class T> inline constexpr int bits = 8 * static_cast<int>(sizeof(T));

// Reals beyond the range of an integer become its nearest limit, and what is no number becomes 0.
template <class Integer, class Real> constexpr Integer integer_of(Real x) {
    constexpr auto most =
        static_cast<Integer>(~uint64(0) >> (64 - bits<Integer> + is_signed<Integer>));
    constexpr auto least = is_signed<Integer> ? static_cast<Integer>(~most) : Integer(0);
    constexpr auto limit = 2 * static_cast<Real>(uint64(most) / 2 + 1); // the first beyond
    if (!(x == x)) return 0;
    if (x >= limit) return most;
    if (x <= static_cast<Real>(least)) return least;
    return static_cast<Integer>(x);
}

// The low bits of an integer. ptxas 13.0 forgets that the negative of an int8 or int16 has 8 or 16
// bits: widened, that of -32768 becomes 32768. It recognizes negatives in ~x + 1 and in casts, too.
// So values of these types pass through 32 bits here that are opaque to the compiler.
template <class T, class From> __device__ T wrapped(From x) {
    constexpr bool is_short = is_signed<T> && bits<T> <= 16;
    if constexpr (is_short) return static_cast<T>(machine::opaque(static_cast<int>(x)));
    return static_cast<T>(x);
}
template <class To, class From> __device__ To cast(From x) {
    if constexpr (is_complex<To>) {
        using real = decltype(To::real);
        if constexpr (is_complex<From>) {
            return {static_cast<real>(x.real), static_cast<real>(x.imaginary)};
        } else {
            return {cast<real>(x), 0};
        }
    } else if constexpr (is_bool<To>) {
        return x != From(0);
    } else if constexpr (is_real<From> && !is_real<To>) {
        return integer_of<To>(x);
    } else {
        return wrapped<To>(x);
    }
}

// Integers wrap around.
template <class T> __device__ T add(T a, T b) {
    if constexpr (is_complex<T>) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    } else {
        return wrapped<T>(static_cast<uint64>(a) + static_cast<uint64>(b));
    }
}
template <class T> __device__ T subtract(T a, T b) {
    if constexpr (is_complex<T>) {
        return {a.real - b.real, a.imaginary - b.imaginary};
    } else {
        return wrapped<T>(static_cast<uint64>(a) - static_cast<uint64>(b));
    }
}
template <class T> __device__ T multiply(T a, T b) {
    if constexpr (is_complex<T>) {
        using machine::product;
        return {product(a.real, b.real) - product(a.imaginary, b.imaginary),
                product(a.real, b.imaginary) + product(a.imaginary, b.real)};
    } else if constexpr (is_real<T>) {
        return machine::product(a, b);
    } else {
        return wrapped<T>(static_cast<uint64>(a) * static_cast<uint64>(b));
    }
}
template <class T> __device__ T negate(T a) {
    if constexpr (is_complex<T>) {
        return {-a.real, -a.imaginary};
    } else {
        return wrapped<T>(-static_cast<uint64>(a));
    }
}
// A count that is negative, or not below the width, shifts all bits out.
template <class T> __device__ bool is_out(T count) {
    return static_cast<uint64>(count) >= static_cast<uint64>(bits<T>);
}
template <class T> __device__ T shift_left(T a, T count) {
    return is_out(count) ? T(0) : static_cast<T>(static_cast<uint64>(a) << count);
}
// What has a sign is shifted as its complement: ptxas 13.0 may make one instruction of a shift and
// a sum, in which it loses the sign of a negative that is shifted.
template <class T> __device__ T shift_right(T a, T count) {
    int const places = is_out(count) ? bits<T> - 1 : static_cast<int>(count);
    if constexpr (is_signed<T>) {
        return static_cast<T>(~(machine::opaque(~a) >> places));
    } else {
        return is_out(count) ? T(0) : static_cast<T>(a >> places);
    }
}

// The remainder of reals, which is exact and has the sign of x. Binary digits of the quotient are
// found 11 at once by a remainder of integers. The function is not inlined, since it is long.
[[gnu::noinline]] __device__ inline float64 real_remainder(float64 x, float64 y) {
    constexpr uint64 sign = uint64(1) << 63, implicit = uint64(1) << 52;
    constexpr uint64 infinite = uint64(2047) << 52;
    auto const bits_x = __builtin_bit_cast(uint64, x) & ~sign;
    auto const bits_y = __builtin_bit_cast(uint64, y) & ~sign;
    if (bits_x >= infinite || bits_y > infinite || bits_y == 0) {
        return machine::infinity() - machine::infinity();
    }
    if (bits_x < bits_y) return x;
    int const exponent_x = bits_x < implicit ? 1 : static_cast<int>(bits_x >> 52);
    int const exponent_y = bits_y < implicit ? 1 : static_cast<int>(bits_y >> 52);
    auto const digits = [](uint64 bits) {
        return bits < implicit ? bits : implicit | (bits & (implicit - 1));
    };
    uint64 const divisor = digits(bits_y);
    uint64 rest = digits(bits_x);
    int left = exponent_x - exponent_y, step = 0;
    do {
        rest = (rest << step) % divisor;
        step = left < 11 ? left : 11;
        left -= step;
    } while (step > 0);
    // The unit of the last digit of y: 2 to the power of exponent_y - 1075.
    auto const unit =
        exponent_y > 52 ? uint64(exponent_y - 52) << 52 : uint64(1) << (exponent_y - 1);
    return machine::copysign(static_cast<float64>(rest) * __builtin_bit_cast(float64, unit), x);
}

// The quotient is rounded toward zero, or down with Floors. It is 0 if the divisor is 0, and so is
// the remainder of integers. The remainder has the sign of the dividend, with Floors that of the
// divisor.
template <class To, bool Floors, class T> __device__ To quotient(T a, T b) {
    if constexpr (is_real<T>) {
        // fmod is exact, so the division's result is near an integer.
        T const rest = static_cast<T>(real_remainder(a, b));
        T const near = (a - rest) / b;
        T quotient_near = machine::floor(near);
        if (near - quotient_near > T(0.5)) quotient_near += 1;
        if (Floors && rest != 0 && (rest < 0) != (b < 0)) quotient_near -= 1;
        return integer_of<To>(quotient_near);
    } else {
        if (b == 0) return 0;
        auto const dividend = static_cast<To>(a), divisor = static_cast<To>(b);
        if (is_signed<T> && b == T(-1)) return negate(dividend);
        To const quotient_near = dividend / divisor;
        bool const is_below = Floors && dividend % divisor != 0 && (a < 0) != (b < 0);
        return is_below ? quotient_near - 1 : quotient_near;
    }
}
template <bool Floors, class T> __device__ T remainder(T a, T b) {
    if constexpr (is_real<T>) {
        T const rest = static_cast<T>(real_remainder(a, b));
        if (!Floors || !(rest == rest)) return rest;
        if (rest == 0) return machine::copysign(T(0), b);
        return (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
        if (b == 0) return 0;
        if (is_signed<T> && b == T(-1)) return 0;
        T const rest = static_cast<T>(a % b);
        bool const is_other = Floors && rest != 0 && (rest < 0) != (b < 0);
        return is_other ? static_cast<T>(rest + b) : rest;
    }
}

using machine::acos;
using machine::acosh;
using machine::asin;
using machine::asinh;
using machine::atan;
using machine::atan2;
using machine::atanh;
using machine::ceil;
using machine::copysign;
using machine::cos;
using machine::cosh;
using machine::exp;
using machine::expm1;
using machine::fabs;
using machine::floor;
using machine::fmod;
using machine::log;
using machine::log10;
using machine::log1p;
using machine::pow;
using machine::sin;
using machine::sinh;
using machine::sqrt;
using machine::tan;
using machine::tanh;
template <class T> __device__ bool isnan(T x) { return !(x == x); }
template <class T> __device__ bool isinf(T x) {
    return machine::fabs(x) == static_cast<T>(machine::infinity());
}
using machine::infinity;
__device__ inline float64 not_a_number() { return machine::infinity() - machine::infinity(); }

// An array whose strides are in bytes. A bool takes a byte of memory.
template <class T, int Rank> struct array {
    unsigned char* data;
    int64 shape[Rank];
    int64 strides[Rank];

    template <class... Indices> constexpr unsigned char* place(Indices... indices) const {
        int64 offset = 0;
        auto const* stride = strides;
        ((offset += indices * *stride++), ...);
        return data + offset;
    }
    __device__ static T read(unsigned char const* place) {
        if constexpr (is_bool<T>) {
            return *place != 0;
        } else {
            return *reinterpret_cast<T const*>(place);
        }
    }
    __device__ static void write(unsigned char* place, T x) { *reinterpret_cast<T*>(place) = x; }
    constexpr int64 size() const {
        int64 product = 1;
        for (int64 const extent : shape) product *= extent;
        return product;
    }
};

// An array in the dynamic shared memory of the block.
template <class T, int64... Extents> __device__ auto shared_array(int offset) {
    constexpr int rank = sizeof...(Extents);
    array<T, rank> result = {machine::dynamic_shared() + offset, {Extents...}, {}};
    int64 stride = sizeof(T);
    for (int i = rank; i-- > 0; stride *= result.shape[i]) result.strides[i] = stride;
    return result;
}

// The integers that a loop runs over.
class range {
  public:
    constexpr range(int64 start, int64 stop, int64 step)
        : value(start), step(step), left(count(start, stop, step)) {}
    __device__ bool next(int64& target) {
        if (left == 0) return false;
        target = value;
        value = add(value, step);
        --left;
        return true;
    }

  private:
    int64 value, step;
    uint64 left;

    // The division is left out where one round is all: often threads share a range by their number.
    static constexpr uint64 count(int64 start, int64 stop, int64 step) {
        bool const is_rising = step > 0;
        if (step == 0 || (is_rising ? start >= stop : start <= stop)) return 0;
        auto const a = static_cast<uint64>(start), b = static_cast<uint64>(stop);
        auto const size = static_cast<uint64>(step);
        uint64 const distance = is_rising ? b - a : a - b;
        uint64 const magnitude = is_rising ? size : 0 - size;
        return distance <= magnitude ? 1 : (distance - 1) / magnitude + 1;
    }
};

__device__ inline int64 component(machine::extent3 index, int axis) {
    return axis == 0 ? index.x : axis == 1 ? index.y : index.z;
}
__device__ inline int64 thread_index(int axis) { return component(machine::thread_index(), axis); }
__device__ inline int64 block_index(int axis) { return component(machine::block_index(), axis); }
__device__ inline int64 block_size(int axis) { return component(machine::block_size(), axis); }
__device__ inline int64 grid_size(int axis) { return component(machine::grid_size(), axis); }
__device__ inline void sync_block() { machine::sync_block(); }

} // namespace spio::python
