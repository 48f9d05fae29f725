// How a tensor core sums: exact products are aligned to the largest exponent, truncated, and added.
// SPDX-License-Identifier: Apache-2.0
//
// The simulated GPU computes a product of matrices with the bits of a real one, whose sums are not
// those of float additions. A format has a sign bit, an exponent and a fraction; the significand is
// the fraction with its leading one.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/convert.h"

namespace spio::sim {

enum class number_kind : unsigned char { finite, infinite, nan };

// A factor of a product. Its magnitude is significand * 2^(exponent - fraction bits of its format).
struct factor {
    unsigned short significand;
    short exponent;
    bool negative;
    number_kind kind;
};

// Decodes the bits of a factor. A subnormal keeps the exponent of the least normal number, because
// the tensor core does not normalize it.
template <class Format> constexpr factor factor_of(unsigned bits) {
    constexpr unsigned leading_one = 1U << Format::fraction_bits;
    unsigned const fraction = bits & (leading_one - 1);
    unsigned const field = (bits & 0x7fffU) >> Format::fraction_bits;
    bool const special = (bits & infinity_bits<Format>) == infinity_bits<Format>;
    return {.significand = static_cast<unsigned short>(fraction | (field > 0 ? leading_one : 0U)),
            .exponent = static_cast<short>(std::max<int>(field, 1) - exponent_bias<Format>),
            .negative = (bits & 0x8000U) != 0,
            .kind = !special        ? number_kind::finite
                    : fraction == 0 ? number_kind::infinite
                                    : number_kind::nan};
}

// An addend of a sum: magnitude * 2^(exponent - 30), which is below 2^(exponent + 2).
struct addend {
    static constexpr int fraction_bits = 30;

    unsigned magnitude;
    int exponent;
    bool negative;
    number_kind kind;
};

// The exact product of a and b, of 22 significant bits at most. Its exponent is the sum of the
// factors' exponents, so the magnitude may reach 4 * 2^exponent.
template <class Format> constexpr addend product(factor a, factor b) {
    addend p{.magnitude = (static_cast<unsigned>(a.significand) * b.significand)
                          << (addend::fraction_bits - 2 * Format::fraction_bits),
             .exponent = a.exponent + b.exponent,
             .negative = a.negative != b.negative,
             .kind = std::max(a.kind, b.kind)};
    if (p.kind == number_kind::infinite && p.magnitude == 0) p.kind = number_kind::nan;
    return p;
}

constexpr addend addend_of(float value) {
    unsigned const bits = std::bit_cast<unsigned>(value);
    unsigned const fraction = bits & 0x007fffffU;
    unsigned const field = bits >> 23 & 0xffU;
    return {.magnitude = (fraction | (field > 0 ? 0x00800000U : 0U))
                         << (addend::fraction_bits - 23),
            .exponent = std::max<int>(field, 1) - 127,
            .negative = bits >> 31 != 0,
            .kind = field < 255     ? number_kind::finite
                    : fraction == 0 ? number_kind::infinite
                                    : number_kind::nan};
}

enum class rounding : unsigned char { to_zero, down, to_nearest };

// Returns magnitude / 2^bits, rounded to a whole number. `negative` is the sign of the number that
// has this magnitude; rounding down depends on it.
constexpr unsigned long long shifted(unsigned long long magnitude, int bits, bool negative,
                                     rounding mode) {
    if (bits <= 0) return magnitude << -bits;
    unsigned long long const quotient = bits < 64 ? magnitude >> bits : 0;
    if (mode == rounding::to_zero) return quotient;
    unsigned long long const remainder = bits < 64 ? magnitude - (quotient << bits) : magnitude;
    if (mode == rounding::down) return quotient + (negative && remainder > 0);
    if (bits > 64) return quotient;
    unsigned long long const half = 1ULL << (bits - 1);
    return quotient + (remainder > half || (remainder == half && quotient % 2 == 1));
}

// How a tensor core sums. The published values stand below; tests/gpu/tensor_core_probe.cpp
// measures each parameter.
struct tensor_core {
    // The number of products that are summed at once, together with the accumulator.
    int terms;
    // Addends are truncated at this number of bits below the largest exponent among them.
    int fraction_bits;
    // The exponent given to an addend that is zero, when exponents are compared. The value
    // own_exponent means that the addend keeps the sum of its factors' exponents.
    int exponent_of_zero = -133;
    rounding of_addends = rounding::to_zero;
    rounding of_sum = rounding::to_zero;
    // True: the accumulator is one of the aligned addends. False: the products are summed first,
    // and the accumulator is added to their sum.
    bool accumulator_inside = true;
    // Whether addends are normalized to a leading one before their exponents are compared.
    bool normalizes_addends = false;
    // Whether a sum beyond the greatest float becomes infinite (true) or the greatest float
    // (false).
    bool overflows_to_infinity = true;
    // Whether a sum that rounds to zero keeps its sign, and whether a sum of negative zeros is
    // negative.
    bool small_sum_keeps_sign = true;
    bool zero_sum_keeps_sign = true;

    static constexpr int max_terms = 16;
    static constexpr int own_exponent = 1000; // no exponent is so large

    bool operator==(tensor_core const&) const = default;

    // Adds all `count` products to c, `terms` of them at a time.
    constexpr float accumulate(float c, addend const* products, int count) const {
        addend sum[max_terms + 1];
        for (int first = 0; first < count; first += terms) {
            int const size = std::min(terms, count - first);
            std::copy_n(products + first, size, sum);
            if (accumulator_inside) {
                sum[size] = addend_of(c);
                c = sum_of(sum, size + 1);
            } else {
                addend pair[2] = {addend_of(sum_of(sum, size)), addend_of(c)};
                c = sum_of(pair, 2);
            }
        }
        return c;
    }

  private:
    constexpr float sum_of(addend* addends, int count) const {
        int largest = -1000; // below every exponent
        auto kind = number_kind::finite;
        for (int i = 0; i < count; ++i) {
            align(addends[i]);
            largest = std::max(largest, addends[i].exponent);
            kind = std::max(kind, addends[i].kind);
        }
        if (kind != number_kind::finite) return special_sum_of(addends, count);

        long long sum = 0;
        bool all_negative = true;
        for (int i = 0; i < count; ++i) {
            auto const& x = addends[i];
            int const bits = largest - x.exponent + addend::fraction_bits - fraction_bits;
            auto const part =
                static_cast<long long>(shifted(x.magnitude, bits, x.negative, of_addends));
            // Negates `part` if x is negative, without a branch: signs are hard to predict.
            sum += (part ^ -static_cast<long long>(x.negative)) + x.negative;
            all_negative &= x.negative;
        }
        if (sum == 0) return with_sign(all_negative && zero_sum_keeps_sign, /*magnitude=*/0);
        return rounded(sum, largest - fraction_bits);
    }

    static constexpr float special_sum_of(addend const* addends, int count) {
        bool infinite[2] = {false, false};
        bool nan = false;
        for (int i = 0; i < count; ++i) {
            infinite[addends[i].negative] |= addends[i].kind == number_kind::infinite;
            nan |= addends[i].kind == number_kind::nan;
        }
        if (nan || (infinite[0] && infinite[1])) return std::bit_cast<float>(0x7fffffffU);
        return with_sign(infinite[1], /*magnitude=*/0x7f800000U);
    }

    constexpr void align(addend& x) const {
        if (x.magnitude == 0) {
            if (exponent_of_zero != own_exponent) x.exponent = exponent_of_zero;
        } else if (normalizes_addends) {
            int const left = addend::fraction_bits + 1 - std::bit_width(x.magnitude);
            x.magnitude = left < 0 ? x.magnitude >> -left : x.magnitude << left;
            x.exponent -= left;
        }
    }

    // The float whose bits below the sign are `magnitude`.
    static constexpr float with_sign(bool negative, unsigned magnitude) {
        return std::bit_cast<float>(magnitude | (negative ? 0x80000000U : 0U));
    }

    // Rounds sum * 2^unit to a float, by the rounding mode `of_sum`.
    constexpr float rounded(long long sum, int unit) const {
        bool const negative = sum < 0;
        auto const magnitude = static_cast<unsigned long long>(negative ? -sum : sum);
        int const width = static_cast<int>(std::bit_width(magnitude));
        // The exponent of the last bit of the rounded significand.
        int const last = std::max(unit + width - 24, -149);
        unsigned long long const quotient = shifted(magnitude, last - unit, negative, of_sum);
        // The sum is intended to carry: the leading one of the significand adds 1 to the exponent
        // field, and so does a carry out of the fraction.
        unsigned long long const bits =
            (static_cast<unsigned long long>(last + 149) << 23) + quotient;
        if (bits == 0) return with_sign(negative && small_sum_keeps_sign, /*magnitude=*/0);
        if (bits >= 0x7f800000U) {
            return with_sign(negative, overflows_to_infinity ? 0x7f800000U : 0x7f7fffffU);
        }
        return with_sign(negative, static_cast<unsigned>(bits));
    }
};

inline constexpr tensor_core volta_tensor_core{.terms = 4, .fraction_bits = 23};
inline constexpr tensor_core ampere_tensor_core{.terms = 8, .fraction_bits = 24};
// Fitted to the bits of 11.3 million sums on an H200. No other values fit all of them.
inline constexpr tensor_core hopper_tensor_core{
    .terms = 16, .fraction_bits = 25, .small_sum_keeps_sign = false, .zero_sum_keeps_sign = false};

} // namespace spio::sim
