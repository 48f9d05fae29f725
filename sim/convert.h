// Conversions between float and the 16-bit formats, bit for bit as the chip makes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

namespace spio::sim {

// Where the bits of a format are: a sign, an exponent, a fraction.
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

// To the nearest, to even if there are two; beyond the greatest, infinity; of any NaN, 0x7fff.
template <class Format> constexpr unsigned short rounded_to(float value) {
    unsigned const bits = std::bit_cast<unsigned>(value);
    unsigned const sign = bits >> 16 & 0x8000U;
    unsigned const magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return 0x7fff;

    // Subnormals, of float and of the format, have the exponent of the least normal number, and no
    // leading one.
    bool const subnormal = magnitude < 0x00800000U;
    unsigned const significand = (magnitude & 0x007fffffU) | (subnormal ? 0U : 0x00800000U);
    int const exponent = (subnormal ? 1 : static_cast<int>(magnitude >> 23)) - 127;
    int const biased = std::max(exponent + exponent_bias<Format>, 1);
    int const below = biased - (exponent + exponent_bias<Format>);
    // Whatever is dropped from 25 bits up is less than a half of the last bit that stays.
    int const dropped = std::min(23 - Format::fraction_bits + below, 25);

    unsigned const half = 1U << (dropped - 1);
    unsigned const rest = significand & (2 * half - 1);
    unsigned kept = significand >> dropped;
    kept += rest > half || (rest == half && kept % 2 == 1);
    // The leading one, and a carry, add to the exponent by themselves.
    unsigned const rounded = (static_cast<unsigned>(biased - 1) << Format::fraction_bits) + kept;
    return static_cast<unsigned short>(sign | std::min(rounded, infinity_bits<Format>));
}

constexpr unsigned short float_to_half(float value) { return rounded_to<half_format>(value); }
constexpr unsigned short float_to_bfloat16(float value) {
    return rounded_to<bfloat16_format>(value);
}

// Exact; of any NaN, 0x7fffffff.
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
// A bfloat16 is the upper half of a float, also if it is a NaN: no instruction is needed.
constexpr float bfloat16_to_float(unsigned short bits) {
    return std::bit_cast<float>(static_cast<unsigned>(bits) << 16);
}

// Two at once, the first in the low bits.
constexpr unsigned floats_to_halves(float first, float second) {
    return float_to_half(first) | static_cast<unsigned>(float_to_half(second)) << 16;
}
constexpr unsigned floats_to_bfloat16s(float first, float second) {
    return float_to_bfloat16(first) | static_cast<unsigned>(float_to_bfloat16(second)) << 16;
}

} // namespace spio::sim
