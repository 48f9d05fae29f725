// A random number generator that gives the same numbers on every machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace test {

// The state begins as the seed; the algorithm is splitmix64.
struct random {
    std::uint64_t state;

    constexpr std::uint64_t operator()() {
        state += 0x9e3779b97f4a7c15ULL;
        std::uint64_t x = state;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
        return x ^ x >> 31;
    }
    // As many random bits as are asked for, at most 32.
    constexpr unsigned bits(int count) { return static_cast<unsigned>((*this)() >> (64 - count)); }
    // A number from first to last, inclusive.
    constexpr int between(int first, int last) {
        auto const span = static_cast<std::uint64_t>(std::int64_t(last) - first + 1);
        return static_cast<int>(first + static_cast<std::int64_t>((*this)() % span));
    }
    constexpr bool one_in(int count) { return between(1, count) == 1; }
};

} // namespace test
