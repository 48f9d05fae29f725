// The numbers that convolutions are tested on, and the comparison of NaN and infinities.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace spio::test {

// Random halves with magnitudes from 1/4 to 2, whose products are neither subnormal nor infinite.
inline unsigned short drawn_half(std::mt19937& random) {
    auto const bits = static_cast<unsigned>(random());
    return static_cast<unsigned short>((bits & 0x83ff) | (13 + bits % 3) << 10);
}
inline std::vector<unsigned short> halves(std::mt19937& random, long long count) {
    std::vector<unsigned short> values(static_cast<std::size_t>(count));
    for (auto& value : values) value = drawn_half(random);
    return values;
}

// Whether both are NaN, both the same infinity, or both finite.
inline bool is_same_kind(double number, double expected) {
    return std::isnan(expected)   ? std::isnan(number)
           : std::isinf(expected) ? number == expected
                                  : std::isfinite(number);
}

} // namespace spio::test
