// Vectors: a few elements side by side, aligned to their size, that one instruction copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/number.h"

namespace spio {

//     using half8 = vec<half, 8>;                 the 16 bytes that one copy takes
template <class T, int N>
    requires(is_power_of_two(N))
struct alignas(sizeof(T) * N) vec {
    T items[N];

    constexpr T& operator[](int n) { return items[n]; }
    constexpr T const& operator[](int n) const { return items[n]; }
    static constexpr int size() { return N; }
};

// The bits of a value as a value of another type.
//     bits_as<vec<half, 8>>(fragment)
template <class To, class From>
    requires(sizeof(To) == sizeof(From))
constexpr To bits_as(From const& value) {
    return __builtin_bit_cast(To, value);
}

// The 32-bit words of a value, as instructions take them.
template <class T>
    requires(sizeof(T) % 4 == 0)
struct words_in {
    unsigned values[sizeof(T) / 4];
};

} // namespace spio
