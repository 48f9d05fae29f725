// The tensor core, compared with sums in double, one addend after the other.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a 16-bit number, an addend a product of two or the accumulator; a tile is the factors
// and sums of one instruction mma.
#include <doctest/doctest.h>

#include "sim/tensor_core.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensor_core_cases.h"

using namespace spio::sim;

namespace {

unsigned bits_of(float x) { return std::bit_cast<unsigned>(x); }

// Rounds an addend, scaled so that the last bit that is kept is 1.
double to_integer(double x, rounding mode) {
    if (mode == rounding::to_zero) return std::trunc(x);
    return mode == rounding::down ? std::floor(x) : std::nearbyint(x);
}

// Rounds a sum to float as the core does.
float to_float(double x, tensor_core const& core) {
    auto y = static_cast<float>(x);
    bool const is_infinite = std::isinf(y);
    if (core.of_sum == rounding::to_zero && std::fabs(y) > std::fabs(x))
        y = std::nextafter(y, 0.0F);
    if (core.of_sum == rounding::down && y > x) y = std::nextafter(y, -INFINITY);
    // A sum of 2^128 or more stays infinite. One below it that the conversion rounded up to
    // infinity was made finite again above.
    if (is_infinite && std::fabs(x) >= 0x1p128) y = static_cast<float>(std::copysign(INFINITY, x));
    if (std::isinf(y) && !core.overflows_to_infinity) y = std::copysign(0x1.fffffep127F, y);
    if (y == 0 && !core.small_sum_keeps_sign) return 0.0F;
    return y;
}

// An addend, and its exponent. The tensor core aligns all addends to the greatest exponent.
struct term {
    double value;
    int exponent;

    // The value with the exponent that the core counts for it.
    static term make(double value, int exponent, tensor_core const& core) {
        bool const own = core.exponent_of_zero == tensor_core::own_exponent;
        if (value == 0) return {value, own ? exponent : core.exponent_of_zero};
        return {value, core.normalizes_addends ? std::ilogb(value) : exponent};
    }
};

// Adds terms that are aligned to the greatest exponent among them.
float sum_of(std::vector<term> const& terms, tensor_core const& core) {
    double plain = 0;
    for (auto const& x : terms) plain += x.value;
    if (std::isnan(plain)) return std::bit_cast<float>(0x7fffffffU);
    if (std::isinf(plain)) return static_cast<float>(plain);
    int largest = -100000;
    for (auto const& x : terms) largest = std::max(largest, x.exponent);
    double sum = 0;
    bool all_negative = true;
    for (auto const& x : terms) {
        sum += to_integer(std::ldexp(x.value, core.fraction_bits - largest), core.of_addends);
        all_negative &= std::signbit(x.value);
    }
    if (sum == 0) return all_negative && core.zero_sum_keeps_sign ? -0.0F : 0.0F;
    return to_float(std::ldexp(sum, largest - core.fraction_bits), core);
}

// The exponent of a number, but at least `least`, which is that of the least normal number.
int exponent_of(double x, int least) { return x == 0 ? least : std::max(std::ilogb(x), least); }

// c plus the sum of a[i] * b[i], added as the core does it.
template <class Format>
float dot_product(float c, unsigned short const* a, unsigned short const* b, int count,
                  tensor_core const& core) {
    int const least = 1 - exponent_bias<Format>;
    for (int first = 0; first < count; first += core.terms) {
        std::vector<term> terms;
        for (int k = first; k < std::min(first + core.terms, count); ++k) {
            double const x = test::tile_source<Format>::value_of(a[k]);
            double const y = test::tile_source<Format>::value_of(b[k]);
            bool const finite = std::isfinite(x) && std::isfinite(y);
            int const exponent = finite ? exponent_of(x, least) + exponent_of(y, least) : 0;
            terms.push_back(term::make(x * y, exponent, core));
        }
        auto const float_term = [&](float x) {
            return term::make(x, std::isfinite(x) ? exponent_of(x, -126) : 0, core);
        };
        if (core.accumulator_inside) {
            terms.push_back(float_term(c));
            c = sum_of(terms, core);
        } else {
            c = sum_of({float_term(sum_of(terms, core)), float_term(c)}, core);
        }
    }
    return c;
}

// PTX ISA, "Matrix Fragments for mma.m16n8k8" and "m16n8k16": row and column of element i of a
// thread's fragment, groupID = %laneid >> 2, threadID_in_group = %laneid % 4.
template <int K> void row_and_column_of_a(int lane, int i, int& row, int& column) {
    int const group = lane >> 2;
    int const thread = lane % 4;
    if (K == 8) {
        row = i == 0 || i == 1 ? group : group + 8;
        column = thread * 2 + (i & 1);
    } else {
        row = (i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8;
        column = i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
    }
}
// Row and column of element i of b in a lane, as in the PTX manual.
template <int K> void row_and_column_of_b(int lane, int i, int& row, int& column) {
    row = K == 8 || i < 2 ? lane % 4 * 2 + (i & 1) : lane % 4 * 2 + (i & 1) + 8;
    column = lane >> 2;
}
// The same for the sum c.
void row_and_column_of_c(int lane, int i, int& row, int& column) {
    row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
    column = lane % 4 * 2 + (i & 1);
}

// Sums that were compared, and those that differ.
struct tally {
    long long sums = 0, errors = 0;
};

// Compares all sums of a tile, by the simulated instruction, with dot_product().
template <class Format, int K>
void check_tile(test::tile<K> const& inputs, tensor_core const& core, tally& count) {
    unsigned a[32][K / 4];
    unsigned b[32][K / 8];
    float c[32][4];
    int row = 0;
    int column = 0;
    for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < K / 2; ++i) {
            row_and_column_of_a<K>(lane, i, row, column);
            std::memcpy(reinterpret_cast<char*>(a[lane]) + 2 * i, &inputs.a[row][column], 2);
        }
        for (int i = 0; i < K / 4; ++i) {
            row_and_column_of_b<K>(lane, i, row, column);
            std::memcpy(reinterpret_cast<char*>(b[lane]) + 2 * i, &inputs.b[column][row], 2);
        }
        for (int i = 0; i < 4; ++i) {
            row_and_column_of_c(lane, i, row, column);
            c[lane][i] = inputs.c[row][column];
        }
    }
    multiply<Format>(c, a, b, core);
    for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < 4; ++i) {
            row_and_column_of_c(lane, i, row, column);
            float const expected = dot_product<Format>(inputs.c[row][column], inputs.a[row],
                                                       inputs.b[column], K, core);
            ++count.sums;
            if (bits_of(expected) == bits_of(c[lane][i])) continue;
            if (count.errors++ == 0) {
                MESSAGE("k = ", K, ", c[", row, "][", column, "] is ", c[lane][i], ", should be ",
                        expected, ", began at ", inputs.c[row][column]);
            }
        }
    }
}

// Checks a core by one instruction on this number of tiles of each kind.
template <class Format, int K> void check_all(tensor_core const& core, int tiles, tally& count) {
    test::tile_source<Format> source{{static_cast<unsigned>(K)}};
    auto t = test::tile<K>();
    for (int kind = 0; kind < test::tile_kinds; ++kind) {
        for (int i = 0; i < tiles; ++i) {
            source.make(static_cast<test::tile_kind>(kind), t);
            check_tile<Format, K>(t, core, count);
        }
    }
}

// Checks a core by all four instructions.
void check_core(tensor_core const& core, int tiles, tally& count) {
    check_all<half_format, 8>(core, tiles, count);
    check_all<half_format, 16>(core, tiles, count);
    check_all<bfloat16_format, 8>(core, tiles, count);
    check_all<bfloat16_format, 16>(core, tiles, count);
}

} // namespace

TEST_CASE("the cores of three chips sum as in double, bit for bit") {
    tally count;
    for (auto const& core : {volta_tensor_core, ampere_tensor_core, hopper_tensor_core}) {
        check_core(core, /*tiles=*/25, count);
    }
    // Three cores, four instructions, 11 kinds of 25 tiles of 128 sums.
    CHECK(count.sums == 3LL * 4 * 11 * 25 * 128);
    CHECK(count.errors == 0);
}

TEST_CASE("tensor cores of all properties that an experiment may find sum as in double") {
    tally count;
    test::random random{7};
    auto const mode = [&] { return static_cast<rounding>(random.between(0, 2)); };
    auto const coin = [&] { return random.one_in(2); };
    for (int i = 0; i < 150; ++i) {
        check_core(tensor_core{.terms = 1 << random.between(0, 4),
                               .fraction_bits = random.between(20, 30),
                               .exponent_of_zero = coin() && coin() ? tensor_core::own_exponent
                                                                    : -random.between(120, 160),
                               .of_addends = mode(),
                               .of_sum = mode(),
                               .accumulator_inside = coin(),
                               .normalizes_addends = coin(),
                               .overflows_to_infinity = coin(),
                               .small_sum_keeps_sign = coin(),
                               .zero_sum_keeps_sign = coin()},
                   /*tiles=*/1, count);
    }
    // 150 cores, and one tile of each kind.
    CHECK(count.sums == 150LL * 4 * 11 * 128);
    CHECK(count.errors == 0);
}
