// Plain integers: division that floors, remainders that are never negative.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/refusal.h"

namespace spio {

// A type as a value.
template <class T> struct type_is {
    using type = T;
};

// Predicates on types are concepts where possible: for each instance of a variable template NVRTC
// keeps a variable.
template <class A, class B>
concept same = requires(type_is<A>** a, type_is<B>** b) { a = b; };
template <class T>
concept is_const = same<T, T const>;

// A bare number: any built-in integer type except bool and the character types.
template <class T>
concept integer = same<T, int> || same<T, unsigned> || same<T, long> || same<T, unsigned long> ||
                  same<T, long long> || same<T, unsigned long long> || same<T, short> ||
                  same<T, unsigned short> || same<T, signed char> || same<T, unsigned char>;

// Whether an int can hold the number.
template <integer T> constexpr bool is_int(T n) {
    if constexpr (sizeof(T) < sizeof(int) || same<T, int>) {
        return true;
    } else {
        bool const is_negative = !(n > T(0) || n == T(0));
        int const value = static_cast<int>(n);
        return static_cast<T>(value) == n && (value < 0) == is_negative;
    }
}

template <integer T> constexpr bool is_power_of_two(T n) { return n > 0 && (n & (n - 1)) == 0; }

template <integer T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <integer T> constexpr T max(T a, T b) { return a < b ? b : a; }

// The product of sizes, or 2^62 if it is greater, so that it never overflows. A size of 0 is not
// known and is left out.
template <integer... Sizes> constexpr long long product_of(Sizes... sizes) {
    [[maybe_unused]] constexpr long long most = 1LL << 62;
    long long product = 1;
    ((product = sizes == 0 ? product : product > most / sizes ? most : product * sizes), ...);
    return product;
}

template <integer T> constexpr int log2(T n) {
    int bits = 0;
    for (; n > 1; n >>= 1) ++bits;
    return bits;
}

template <integer T> constexpr T gcd(T a, T b) {
    while (b != 0) {
        T const rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// n / divisor, rounded up.
constexpr int divup(int n, int divisor) { return n / divisor + (n % divisor > 0); }

// The next multiple of 8: templates that take room for n have few instances.
constexpr int room_for(int n) { return (n + 7) / 8 * 8; }

// floor(n / Divisor). For powers of two this is a shift, which rounds down for negative n too.
// Other divisors need a correction for negative n, unless NonNegative promises that there is none.
template <int Divisor, bool NonNegative> constexpr int floor_divide(int n) {
    if constexpr (Divisor == 1) {
        return n;
    } else if constexpr (NonNegative) {
        return static_cast<int>(static_cast<unsigned>(n) / Divisor);
    } else if constexpr (is_power_of_two(Divisor)) {
        constexpr int bits = log2(Divisor);
        return n >> bits;
    } else {
        return n / Divisor - (n % Divisor < 0);
    }
}

// n - Divisor * floor(n / Divisor), in [0, Divisor). NonNegative promises that n is not negative,
// which saves the correction.
template <int Divisor, bool NonNegative> constexpr int floor_modulo(int n) {
    if constexpr (Divisor == 1) {
        return 0;
    } else if constexpr (is_power_of_two(Divisor)) {
        return n & (Divisor - 1);
    } else if constexpr (NonNegative) {
        return static_cast<int>(static_cast<unsigned>(n) % Divisor);
    } else {
        int const rest = n % Divisor;
        return rest + (rest < 0 ? Divisor : 0);
    }
}

// floor(n / divisor)
template <integer T> constexpr T floor_divide(T n, T divisor) {
    T const rest = n % divisor;
    return n / divisor - (rest != 0 && (rest < 0) != (divisor < 0));
}

// floor(n / divisor) for a divisor of any integer type.
template <integer T> constexpr int floor_quotient(int n, T divisor) {
    if (is_int(divisor)) return floor_divide(n, static_cast<int>(divisor));
    // A divisor that is no int is at least as far from 0 as n.
    return n == 0 || (n > 0) == (divisor > T(0)) ? 0 : -1;
}

// The remainder of n by |divisor| that is not negative, whatever the signs of both.
template <integer T> constexpr T floor_modulo(T n, T divisor) {
    T const rest = n % divisor;
    return rest < 0 ? (divisor < 0 ? rest - divisor : rest + divisor) : rest;
}

} // namespace spio
