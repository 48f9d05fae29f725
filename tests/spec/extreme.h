// Fills the fields of a struct, such as a problem, with values at the edges of what they may hold.
// SPDX-License-Identifier: Apache-2.0
//
// Fields are numbers with bounds, truth values or enumerations, as the families of kernels describe
// them.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <random>

namespace spio::test {

// How many problems are drawn: SPIO_TEST_PROBLEMS, which the nightly tests set to more.
inline int problem_count() {
    char const* const asked = std::getenv("SPIO_TEST_PROBLEMS");
    return asked ? std::atoi(asked) : 10'000;
}

// A number near a power of two, near the ends of [least, most], or anywhere between them.
inline int edge_number(std::mt19937& random, int least, int most) {
    auto const number_below = [&](unsigned count) { return static_cast<int>(random() % count); };
    long long number = 0;
    switch (number_below(4)) {
    case 0:
        number = least + number_below(4);
        break;
    case 1:
        number = 0LL + most - number_below(4);
        break;
    case 2:
        number = (1LL << number_below(31)) + number_below(3) - 1;
        break;
    default:
        number = std::uniform_int_distribution<int>(least, most)(random);
    }
    return static_cast<int>(std::clamp<long long>(number, least, most));
}

// Draws the fields of slots_of(aggregate). With `is_wild`, some numbers are outside of their range.
template <class Slots> void draw_extreme(std::mt19937& random, Slots& slots, bool is_wild) {
    // Numbers with which arithmetic overflows, divides by zero, or changes its sign.
    constexpr int wild[] = {0, -1, 1, INT_MIN, INT_MIN + 1, INT_MAX, INT_MAX - 7, -8, 1 << 30};
    for (auto& slot : slots) {
        if (slot.boolean != nullptr) {
            *slot.boolean = random() % 2 == 0;
        } else if (slot.integer == nullptr) {
            slot.assign(slot.enumeration, random() % slot.enumerators.size());
        } else if (is_wild && random() % 4 == 0) {
            *slot.integer = wild[random() % std::size(wild)];
        } else {
            auto const& range = slot.range;
            int const number = edge_number(random, range.least, range.most);
            *slot.integer = std::max(number / range.multiple_of * range.multiple_of, range.least);
        }
    }
}

} // namespace spio::test
