// Reads numbers of 16 bits, as tensors have them in memory.
// SPDX-License-Identifier: Apache-2.0
module;

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

module spio.spec;

namespace spio {

double half_number(unsigned short bits) {
    // An exponent of e and a significand of s, whose lowest 10 bits are stored, are
    // s 2^(e - 15 - 10).
    int const exponent = bits >> 10 & 31;
    int const fraction = bits & 1023;
    double const sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == 31) {
        using limits = std::numeric_limits<double>;
        return fraction != 0 ? limits::quiet_NaN() : sign * limits::infinity();
    }
    bool const is_subnormal = exponent == 0;
    return sign *
           (is_subnormal ? std::ldexp(fraction, -24) : std::ldexp(fraction | 1024, exponent - 25));
}
double bfloat16_number(unsigned short bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

} // namespace spio
