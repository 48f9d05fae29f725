// Reproducible random numbers: a seed and a number of rounds that the environment may set.
// SPDX-License-Identifier: Apache-2.0
//
// A law is a sentence that holds for all inputs; a property test checks it on random ones. Dice
// draw random numbers.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

// SPIO_SEED sets the seed; SPIO_ROUNDS is a factor for the number of rounds.
inline std::uint64_t seed() {
    char const* const text = std::getenv("SPIO_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 2024;
}
// How many rounds a test does that has n of them by default.
inline int rounds(int n) {
    char const* const text = std::getenv("SPIO_ROUNDS");
    double const scaled = n * (text ? std::strtod(text, nullptr) : 1.0);
    return scaled < 1 ? 1 : static_cast<int>(scaled);
}

// The same numbers from the same seed, with any standard library.
class dice {
  public:
    // Each test has a salt of its own, so that tests draw different numbers.
    explicit dice(std::uint64_t salt) : engine_(seed() * 0x9e3779b97f4a7c15u + salt) {}

    // In [0, n).
    int draw_below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
    // In [low, high].
    long long draw_between(long long low, long long high) {
        auto const span = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<long long>(engine_() % span);
    }
    bool one_in(int n) { return draw_below(n) == 0; }

    template <class T, std::size_t N> T const& pick(T const (&choices)[N]) {
        return choices[draw_below(static_cast<int>(N))];
    }

  private:
    std::mt19937_64 engine_;
};
