// Logarithms and powers to base 2 that are inlined, for the hundreds that a choice takes.
// SPDX-License-Identifier: Apache-2.0
//
// Their relative errors are below 3e-7, that of a float. Those of the standard library are exact to
// the last bit, take twice as long, and differ from machine to machine.
module;

#include <bit>
#include <cstdint>

module spio.conv2d:powers;

namespace spio::conv2d {

// A double is 1.f times a power of two, whose exponent is kept above the 52 bits of f.
inline constexpr int fraction_bits = 52;

// Of a number that is positive, finite and not below the least that has all its bits.
inline constexpr double log2_of(double value) {
    // The value is a power of two times a factor between the roots of 1/2 and of 2.
    constexpr auto root = std::bit_cast<std::uint64_t>(0.70710678118654752);
    auto const bits = std::bit_cast<std::uint64_t>(value);
    auto const exponent = static_cast<std::int64_t>(bits - root) >> fraction_bits;
    auto const factor =
        std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << fraction_bits));
    // The series of the area tangent, times 2 / ln 2.
    double const z = (factor - 1) / (factor + 1), square = z * z;
    double const series = 2.8853900817779268 +
                          square * (0.96179669392597556 +
                                    square * (0.57707801635558535 + square * 0.41219858311113239));
    return static_cast<double>(exponent) + z * series;
}

// Of an exponent between -1000 and 1000.
inline double exp2_of(double exponent) {
    auto const power = static_cast<std::int64_t>(exponent + (exponent < 0 ? -0.5 : 0.5));
    double const x = 0.69314718055994531 * (exponent - static_cast<double>(power));
    // The series of the exponential function, for x between the halves of -ln 2 and ln 2.
    double const series =
        1 + x * (1 + x * (1.0 / 2 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x / 720)))));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(series) +
                                 (static_cast<std::uint64_t>(power) << fraction_bits));
}

} // namespace spio::conv2d
