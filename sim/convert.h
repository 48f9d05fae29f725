// Conversions between float and the 16-bit formats, with the same result bits as on the GPU.
// SPDX-License-Identifier: Apache-2.0
//
// A half has 5 bits of exponent and 10 of fraction, a bfloat16 8 and 7. The simulated GPU converts
// with integer operations, since a processor's own instructions differ in what becomes of NaN.
#pragma once

#include <algorithm>
#include <bit>

namespace spio::sim {

// The layout of a format: a sign bit, then an exponent, then a fraction.
struct half_format {
    static constexpr int exponent_bits = 5;
    static constexpr int fraction_bits = 10;
};
struct bfloat16_format {
    static constexpr int exponent_bits = 8;
    static constexpr int fraction_bits = 7;
};

template <class Format> inline constexpr int exponent_bias = (1 << (Format::exponent_bits - 1)) - 1;
template <class Format>
inline constexpr unsigned infinity_bits =
    ((1U << Format::exponent_bits) - 1) << Format::fraction_bits;

// Rounds to the nearest, ties to even. Numbers beyond the greatest become infinite, and any NaN
// becomes 0x7fff.
template <class Format> constexpr unsigned short rounded_to(float value) {
    unsigned const bits = std::bit_cast<unsigned>(value);
    unsigned const sign = bits >> 16 & 0x8000U;
    unsigned const magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return 0x7fff;

    // Subnormals of float and of the format have the exponent of the least normal number, and no
    // leading one.
    bool const subnormal = magnitude < 0x00800000U;
    unsigned const significand = (magnitude & 0x007fffffU) | (subnormal ? 0U : 0x00800000U);
    int const exponent = (subnormal ? 1 : static_cast<int>(magnitude >> 23)) - 127;
    int const biased = std::max(exponent + exponent_bias<Format>, 1);
    int const denormal_shift = biased - (exponent + exponent_bias<Format>);
    // If 25 bits or more are dropped, they are less than half of the last bit that remains.
    int const dropped = std::min(23 - Format::fraction_bits + denormal_shift, 25);

    unsigned const half = 1U << (dropped - 1);
    unsigned const remainder = significand & (2 * half - 1);
    unsigned rounded_significand = significand >> dropped;
    rounded_significand += remainder > half || (remainder == half && rounded_significand % 2 == 1);
    // The sum is intended to carry: the leading one of the significand adds 1 to the exponent
    // field, and so does a carry out of the fraction.
    unsigned const rounded =
        (static_cast<unsigned>(biased - 1) << Format::fraction_bits) + rounded_significand;
    return static_cast<unsigned short>(sign | std::min(rounded, infinity_bits<Format>));
}

constexpr unsigned short float_to_half(float value) { return rounded_to<half_format>(value); }
constexpr unsigned short float_to_bfloat16(float value) {
    return rounded_to<bfloat16_format>(value);
}

// This conversion is exact. Any NaN becomes 0x7fffffff.
constexpr float half_to_float(unsigned short bits) {
    unsigned const sign = (bits & 0x8000U) << 16;
    unsigned const magnitude = bits & 0x7fffU;
    if (magnitude > infinity_bits<half_format>) return std::bit_cast<float>(0x7fffffffU);
    if (magnitude == infinity_bits<half_format>) return std::bit_cast<float>(sign | 0x7f800000U);
    if (magnitude < 0x0400U) {
        float const value = static_cast<float>(magnitude) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<unsigned>(value));
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + ((127U - 15U) << 23)));
}
// A bfloat16 is the upper half of a float, even if it is a NaN.
constexpr float bfloat16_to_float(unsigned short bits) {
    return std::bit_cast<float>(static_cast<unsigned>(bits) << 16);
}

// Converts two floats and packs the results into one word, `first` in the low 16 bits.
constexpr unsigned floats_to_halves(float first, float second) {
    return float_to_half(first) | static_cast<unsigned>(float_to_half(second)) << 16;
}
constexpr unsigned floats_to_bfloat16s(float first, float second) {
    return float_to_bfloat16(first) | static_cast<unsigned>(float_to_bfloat16(second)) << 16;
}

} // namespace spio::sim
