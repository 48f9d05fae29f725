// The numbers that convolutions are tested on, and the comparison of NaN and infinities.
// SPDX-License-Identifier: Apache-2.0
//
// Numbers are the 16 bits of an fp16 (5 bits of exponent, 10 of mantissa) or of a bf16 (8 and 7).
#pragma once

#include "conv2d/problem.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace spio::test {

// Random numbers with magnitudes from 1/4 to 2, whose products are neither subnormal nor infinite.
inline unsigned short drawn_element(std::mt19937& random, conv2d::element_type type) {
    auto const bits = static_cast<unsigned>(random());
    // The sign and the mantissa are random, and the exponent is one of the three from -2 on.
    return static_cast<unsigned short>(type == conv2d::element_type::fp16
                                           ? (bits & 0x83ff) | (13 + bits % 3) << 10
                                           : (bits & 0x807f) | (125 + bits % 3) << 7);
}
inline std::vector<unsigned short> elements(std::mt19937& random, long long count,
                                            conv2d::element_type type) {
    std::vector<unsigned short> values(static_cast<std::size_t>(count));
    for (auto& value : values) value = drawn_element(random, type);
    return values;
}

// NaN and both infinities.
inline std::array<unsigned short, 3> special_elements(conv2d::element_type type) {
    if (type == conv2d::element_type::fp16) return {0x7e00, 0x7c00, 0xfc00};
    return {0x7fc0, 0x7f80, 0xff80};
}

// Whether both are NaN, both the same infinity, or both finite.
inline bool is_same_kind(double number, double expected) {
    return std::isnan(expected)   ? std::isnan(number)
           : std::isinf(expected) ? number == expected
                                  : std::isfinite(number);
}

} // namespace spio::test
