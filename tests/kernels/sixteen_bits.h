// Conversions of half and bfloat16 on the host, independent of those that kernels use.
// SPDX-License-Identifier: Apache-2.0
//
// A test that converted with the code under test could not find its mistakes.
#pragma once

#include <cmath>
#include <stdexcept>

namespace spio::test {

// A 16-bit format: a sign bit, then the exponent, then the fraction.
struct format {
    int exponent_bits;
    int fraction_bits;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }

    // The number that some bits stand for.
    double value(unsigned short bits) const {
        int const exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
        int const fraction = bits & ((1 << fraction_bits) - 1);
        double const sign = bits >> 15 ? -1 : 1;
        if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
        int const significand = exponent == 0 ? fraction : fraction | 1 << fraction_bits;
        int const shift = (exponent == 0 ? 1 : exponent) - bias() - fraction_bits;
        return sign * std::ldexp(significand, shift);
    }
    // The bits of a number that the format has: nothing is rounded.
    unsigned short bits(double number) const {
        int const sign = std::signbit(number) ? 1 << 15 : 0;
        if (number == 0) return static_cast<unsigned short>(sign);
        int exponent = 0;
        double const scaled =
            std::ldexp(std::frexp(std::abs(number), &exponent), fraction_bits + 1);
        int const significand = static_cast<int>(scaled);
        int const raised = exponent - 1 + bias();
        if (significand != scaled || raised <= 0 || raised >= (1 << exponent_bits) - 1) {
            throw std::invalid_argument("a number that the format does not have");
        }
        int const fraction = significand & ((1 << fraction_bits) - 1);
        return static_cast<unsigned short>(sign | raised << fraction_bits | fraction);
    }
};
inline constexpr format in_half = {.exponent_bits = 5, .fraction_bits = 10};
inline constexpr format in_bfloat16 = {.exponent_bits = 8, .fraction_bits = 7};

} // namespace spio::test
