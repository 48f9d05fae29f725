// Vectors: a few elements side by side that move as one, aligned to their size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/number.h"

namespace spio {

//     using half8 = vec<half, 8>;                 the 16 bytes that one copy takes
template <class T, int N>
    requires(is_power_of_two(N))
struct alignas(sizeof(T) * N) vec {
    T of[N];

    constexpr T& operator[](int n) { return of[n]; }
    constexpr T const& operator[](int n) const { return of[n]; }
    static constexpr int size() { return N; }
};

// The same bits as a value of another type.
//     bits_as<vec<half, 8>>(fragment)
template <class To, class From>
    requires(sizeof(To) == sizeof(From))
constexpr To bits_as(From const& from) {
    return __builtin_bit_cast(To, from);
}

// The words of a value, to be handed to instructions.
template <class T>
    requires(sizeof(T) % 4 == 0)
struct words_in {
    unsigned of[sizeof(T) / 4];
};

} // namespace spio
