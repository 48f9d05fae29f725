// Conversions of every 16-bit pattern, and of floats around each of them.
// SPDX-License-Identifier: Apache-2.0
//
// The simulated GPU converts by integer operations. Each result is compared with one computed in
// double, whose rounding is exact here.
#include <doctest/doctest.h>

#include "sim/convert.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "random.h"

using namespace spio::sim;

static_assert(float_to_half(1.0F) == 0x3c00 && float_to_half(65520.0F) == 0x7c00);
static_assert(float_to_half(65519.9F) == 0x7bff && float_to_half(-0.0F) == 0x8000);
static_assert(float_to_bfloat16(1.0F) == 0x3f80 && bfloat16_to_float(0xc040) == -3.0F);
static_assert(half_to_float(0x0001) == 0x1p-24F && half_to_float(0xfbff) == -65504.0F);
static_assert(floats_to_halves(1.0F, -2.0F) == 0xc0003c00U);
static_assert(floats_to_bfloat16s(1.0F, -2.0F) == 0xc0003f80U);

static unsigned bits_of(float x) { return std::bit_cast<unsigned>(x); }

// A 16-bit format: the value of each bit pattern, computed in double.
struct format_values {
    int exponent_bits, fraction_bits;

    int top() const { return (1 << exponent_bits) - 1; }
    int bias() const { return top() / 2; }
    bool is_number(unsigned bits) const {
        return static_cast<int>(bits >> fraction_bits & static_cast<unsigned>(top())) < top();
    }
    double value_of(unsigned bits) const {
        int const field = static_cast<int>(bits >> fraction_bits) & top();
        double const fraction = bits & ((1U << fraction_bits) - 1);
        double const value = field == 0 ? std::ldexp(fraction, 1 - bias() - fraction_bits)
                                        : std::ldexp(fraction + (1 << fraction_bits),
                                                     field - bias() - fraction_bits);
        return bits & 0x8000U ? -value : value;
    }
    // The bit pattern that is nearest to x. The quotient below is exact in double.
    unsigned short rounded(float x) const {
        unsigned const sign = std::signbit(x) ? 0x8000U : 0U;
        if (std::isnan(x)) return 0x7fff;
        auto const infinity = static_cast<unsigned>(top()) << fraction_bits;
        if (std::isinf(x)) return static_cast<unsigned short>(sign | infinity);
        int exponent = 0;
        std::frexp(x, &exponent);
        exponent = std::max(exponent - 1, 1 - bias());
        double const unit = std::ldexp(1.0, exponent - fraction_bits);
        double const value = std::nearbyint(std::fabs(static_cast<double>(x)) / unit) * unit;
        if (value >= std::ldexp(1.0, bias() + 1))
            return static_cast<unsigned short>(sign | infinity);
        unsigned bits = 0;
        std::frexp(value, &exponent);
        if (value < std::ldexp(1.0, 1 - bias())) {
            bits = static_cast<unsigned>(std::ldexp(value, bias() - 1 + fraction_bits));
        } else {
            double const fraction = std::ldexp(value, fraction_bits + 1 - exponent);
            bits = (static_cast<unsigned>(exponent - 1 + bias()) << fraction_bits) +
                   static_cast<unsigned>(fraction) - (1U << fraction_bits);
        }
        return static_cast<unsigned short>(sign | bits);
    }
};
constexpr format_values half{5, 10};
constexpr format_values bfloat16{8, 7};

// The bits of x as a half, as the compiler of this test rounds.
static unsigned short by_compiler(float x) {
    auto const value = static_cast<_Float16>(x);
    unsigned short bits = 0;
    std::memcpy(&bits, &value, 2);
    return bits;
}

// Counts conversions of bit patterns of floats, and those that are wrong.
struct checks {
    long long floats = 0, errors = 0;
    unsigned first_error = 0;

    void count(unsigned pattern, bool is_right) {
        ++floats;
        if (!is_right && errors++ == 0) first_error = pattern;
    }
    void conversion_of(unsigned pattern) {
        auto const x = std::bit_cast<float>(pattern);
        unsigned short const by_rounding = half.rounded(x);
        bool is_right = float_to_half(x) == by_rounding;
        is_right &= std::isnan(x) || by_compiler(x) == by_rounding;
        is_right &= float_to_bfloat16(x) == bfloat16.rounded(x);
        count(pattern, is_right);
    }
    void report() const {
        INFO("first wrong: ", first_error, " of ", floats);
        CHECK(errors == 0);
    }
};

TEST_CASE("every pattern of 16 bits has its value, and is the rounding of that value") {
    checks checked;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        auto const pattern = static_cast<unsigned short>(bits);
        float const h = half_to_float(pattern);
        if (half.is_number(bits)) {
            checked.count(bits, h == half.value_of(bits) && std::signbit(h) == (bits >= 0x8000U) &&
                                    float_to_half(h) == bits);
        } else if ((bits & 0x3ffU) == 0) {
            checked.count(bits, std::isinf(h) && float_to_half(h) == bits);
        } else {
            checked.count(bits, bits_of(h) == 0x7fffffffU && float_to_half(h) == 0x7fff);
        }
        float const b = bfloat16_to_float(pattern);
        if (bfloat16.is_number(bits)) {
            checked.count(bits, b == bfloat16.value_of(bits) && float_to_bfloat16(b) == bits);
        } else if ((bits & 0x7fU) == 0) {
            checked.count(bits, std::isinf(b) && float_to_bfloat16(b) == bits);
        } else {
            checked.count(bits, bits_of(b) == bits << 16 && float_to_bfloat16(b) == 0x7fff);
        }
    }
    CHECK(checked.floats == 2 * 65536);
    checked.report();
}

TEST_CASE("every tie, and the floats on both sides of it, go to the nearest, to even if two are") {
    checks checked;
    for (unsigned bits = 0; bits < 0x8000U; ++bits) {
        for (format_values const& format : {half, bfloat16}) {
            // There is no tie between infinity and a greater number.
            if (!format.is_number(bits)) continue;
            double const next = format.is_number(bits + 1) ? format.value_of(bits + 1)
                                                           : std::ldexp(1.0, format.bias() + 1);
            for (double value : {format.value_of(bits), (format.value_of(bits) + next) / 2}) {
                auto const x = static_cast<float>(value);
                // Each value, and each tie between two values, is a float: also of bfloat16
                // subnormals.
                REQUIRE(x == value);
                for (unsigned sign : {0U, 0x80000000U}) {
                    for (int step = -2; step <= 2; ++step) {
                        checked.conversion_of((bits_of(x) + static_cast<unsigned>(step)) ^ sign);
                    }
                }
            }
        }
    }
    CHECK(checked.floats > 1'000'000); // else too little was tested
    checked.report();
}

TEST_CASE("millions of floats are rounded as in double and by the compiler") {
    checks checked;
    // Floats with all values of the upper 16 bits; of the lower ones 0, the greatest, and those
    // around the halves of a unit of either format.
    for (unsigned upper = 0; upper < 0x10000U; ++upper) {
        for (unsigned lower :
             {0U, 1U, 0x0fffU, 0x1000U, 0x1001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
            checked.conversion_of(upper << 16 | lower);
        }
    }
    test::random random{1};
    for (int i = 0; i < 2'000'000; ++i) checked.conversion_of(random.bits(32));
    // Random floats from 2^-27 to 2^17, a little more than the range of half.
    for (int i = 0; i < 1'000'000; ++i) {
        checked.conversion_of(random.bits(1) << 31 |
                              static_cast<unsigned>(random.between(100, 144)) << 23 |
                              random.bits(23));
    }
    CHECK(checked.floats > 3'500'000); // else too little was tested
    checked.report();
}
