// Small sums that show the published properties of tensor cores, one by one.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a 16-bit number, an addend a product of two or the accumulator; a tile is the factors
// and sums of one instruction mma.
#include <doctest/doctest.h>

#include "sim/tensor_sum.h"

#include <bit>
#include <cmath>
#include <vector>

#include "random.h"

using namespace spio::sim;

namespace {

unsigned bits_of(float x) { return std::bit_cast<unsigned>(x); }

// The sum of c and the products, as the core computes it. Each product is of a number and 1, which
// has the bits 0x3f80 as a bfloat16.
float sum_on(std::vector<float> const& products, float c, tensor_core const& core) {
    addend addends[16] = {};
    for (std::size_t k = 0; k < 16; ++k) {
        float const x = k < products.size() ? products[k] : 0.0F;
        addends[k] = product<bfloat16_format>(factor_of<bfloat16_format>(float_to_bfloat16(x)),
                                              factor_of<bfloat16_format>(0x3f80));
    }
    return core.accumulate(c, addends, 16);
}

} // namespace

TEST_CASE("small addends are cut off, one by one, at a bit that differs between the chips") {
    std::vector<float> const quarters(4, 0x1p-25F);
    CHECK(sum_on(quarters, 1, hopper_tensor_core) == 1 + 0x1p-23F);
    CHECK(sum_on(quarters, 1, ampere_tensor_core) == 1);
    std::vector<float> const halves(2, 0x1p-24F);
    CHECK(sum_on(halves, 1, hopper_tensor_core) == 1 + 0x1p-23F);
    CHECK(sum_on(halves, 1, ampere_tensor_core) == 1 + 0x1p-23F);
    CHECK(sum_on(halves, 1, volta_tensor_core) == 1);
    std::vector<float> const eighths(8, 0x1p-26F);
    CHECK(sum_on(eighths, 1, hopper_tensor_core) == 1);
}

TEST_CASE("sums are cut off, not rounded, towards zero on both sides of it") {
    for (float sign : {1.0F, -1.0F}) {
        CHECK(sum_on({sign * 0x1.8p-24F}, sign, hopper_tensor_core) == sign);
        CHECK(sum_on({sign, sign * 0x1p-23F, sign * 0x1p-24F}, 0, hopper_tensor_core) ==
              sign * (1 + 0x1p-23F));
    }
}

TEST_CASE("what cancels within one sum takes small addends with it") {
    std::vector<float> products(16, 0.0F);
    products[0] = 0x1p20F;
    products[8] = -0x1p20F;
    products[15] = 0x1p-5F;
    CHECK(sum_on(products, 0, hopper_tensor_core) == 0x1p-5F);
    CHECK(sum_on(products, 0, ampere_tensor_core) == 0);
    products[15] = 0x1p-6F;
    CHECK(sum_on(products, 0, hopper_tensor_core) == 0);
}

TEST_CASE("infinities and NaN spread as in IEEE 754, and every NaN has the bits 0x7fffffff") {
    float const inf = INFINITY;
    for (auto const& core : {volta_tensor_core, ampere_tensor_core, hopper_tensor_core}) {
        CHECK(sum_on({1, inf}, 1, core) == inf);
        CHECK(sum_on({1, -inf}, 1, core) == -inf);
        CHECK(sum_on({1, 2}, -inf, core) == -inf);
        CHECK(bits_of(sum_on({inf, 1}, -inf, core)) == 0x7fffffffU);
        CHECK(bits_of(sum_on({inf, -inf}, 0, core)) == 0x7fffffffU);
        CHECK(bits_of(sum_on({1}, std::bit_cast<float>(0xff812345U), core)) == 0x7fffffffU);
        CHECK(bits_of(sum_on({std::bit_cast<float>(0xffc00000U)}, 1, core)) == 0x7fffffffU);
        CHECK(sum_on({0x1p127F, 0x1p127F}, 0, core) == inf);
        CHECK(sum_on({0x1p127F, 0x1p127F, -0x1p127F}, 0, core) == 0x1p127F);
    }
    // As halves, 0x7c00 is infinity and 0x7c01 NaN.
    auto const times = [](unsigned a, unsigned b) {
        return product<half_format>(factor_of<half_format>(a), factor_of<half_format>(b)).kind;
    };
    CHECK(times(0x7c00, 0x8000) == number_kind::nan);
    CHECK(times(0x0000, 0xfc00) == number_kind::nan);
    CHECK(times(0x7c00, 0x0001) == number_kind::infinite);
    CHECK(times(0x7c01, 0x0000) == number_kind::nan);
}

TEST_CASE("sums that fit a float are exact: integers, and subnormals") {
    test::random random{3};
    long long errors = 0;
    for (int round = 0; round < 20000; ++round) {
        int exact = random.between(-1000, 1000);
        auto const begin = static_cast<float>(exact);
        bool const tiny = random.one_in(2);
        // The product of two factors of the form (whole number) * 2^-75 is a subnormal float if the
        // numbers are small.
        addend products[16];
        for (auto& p : products) {
            int const x = random.between(-100, 100);
            int const y = random.between(-100, 100);
            exact += x * y;
            auto const factor = [&](int n, int exponent) {
                float const value = std::ldexp(static_cast<float>(n), tiny ? exponent : 0);
                return factor_of<bfloat16_format>(float_to_bfloat16(value));
            };
            p = product<bfloat16_format>(factor(x, -70), factor(y, -79));
        }
        float const unit = tiny ? 0x1p-149F : 1.0F;
        errors += hopper_tensor_core.accumulate(begin * unit, products, 16) !=
                  static_cast<float>(exact) * unit;
    }
    CHECK(errors == 0);
}

TEST_CASE("an addend that is zero counts as if it were 2^-133") {
    // 2^exponent or its negative, as an addend.
    auto const power = [](int exponent, bool negative) {
        auto const factor = [](int e) {
            return factor_of<bfloat16_format>(float_to_bfloat16(std::ldexp(1.0F, e)));
        };
        addend p = product<bfloat16_format>(factor(exponent / 2), factor(exponent - exponent / 2));
        p.negative = negative;
        return p;
    };
    // 2^-148 - 2^exponent, as the core adds it.
    auto const less = [&](int exponent) {
        addend const products[16] = {power(-148, false), power(exponent, true)};
        return hopper_tensor_core.accumulate(0, products, 16);
    };
    // The last bit that is kept is 2^-158, and the sum is cut off to a subnormal float.
    CHECK(less(-158) == 0x1p-149F);
    CHECK(less(-159) == 0x1p-148F);
}
