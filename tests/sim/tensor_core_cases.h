// Tiles of factors and sums on which different tensor cores give different results.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a 16-bit number, an addend a product of two or the accumulator; a tile is the factors
// and sums of one instruction mma.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "random.h"
#include "sim/convert.h"

namespace test {

// The operands of one multiplication by a warp: c[i][j] += a[i][k] * b[j][k].
template <int K> struct tile {
    unsigned short a[16][K];
    unsigned short b[8][K];
    float c[16][8];
};

// How the numbers of a tile are drawn.
enum class tile_kind {
    near_one,   // all of about one exponent
    wide,       // of many exponents
    cancelling, // products whose sum is about 0
    edges,      // exponents about the last bit that a sum keeps
    one_large,  // one product much larger than the rest
    tiny,       // subnormals
    permuted,   // rows with the same numbers in other orders
    zeros,      // many zeros
    huge,       // sums about the greatest float
    special,    // infinities and NaN among them
    any_bits,
};
inline constexpr int tile_kinds = 11;
inline constexpr char const* tile_kind_names[tile_kinds] = {
    "near one", "wide",  "cancelling", "edges",   "one large", "tiny",
    "permuted", "zeros", "huge",       "special", "any bits"};

// Draws the numbers of tiles in one format of factors.
template <class Format> struct tile_source {
    static constexpr int bias = spio::sim::exponent_bias<Format>;
    static constexpr unsigned fraction_mask = (1U << Format::fraction_bits) - 1;
    static constexpr unsigned infinity = spio::sim::infinity_bits<Format>;

    random next;

    // A number with this exponent and fraction. Below the format's exponents it is a subnormal,
    // above them it has the greatest exponent.
    unsigned short number(int exponent, unsigned fraction) {
        unsigned const sign = next.bits(1) << 15;
        unsigned bits = 0;
        if (exponent < 1 - bias) {
            int const shift = std::min(1 - bias - exponent, Format::fraction_bits);
            bits = ((fraction & fraction_mask) | (fraction_mask + 1)) >> shift;
        } else {
            auto const field = static_cast<unsigned>(std::min(exponent, bias) + bias);
            bits = field << Format::fraction_bits | (fraction & fraction_mask);
        }
        return static_cast<unsigned short>(sign | bits);
    }
    // A random fraction, or one of few bits, which leads to ties.
    unsigned fraction() {
        switch (next.between(0, 3)) {
        case 0:
            return 0;
        case 1:
            return 1U << next.between(0, Format::fraction_bits - 1);
        case 2:
            return fraction_mask;
        default:
            return next.bits(16);
        }
    }
    unsigned short number(int exponent) { return number(exponent, fraction()); }
    unsigned short between(int first, int last) { return number(next.between(first, last)); }
    unsigned short zero() { return static_cast<unsigned short>(next.bits(1) << 15); }
    unsigned short any_bits() { return static_cast<unsigned short>(next.bits(16)); }
    // Infinity, or not a number.
    unsigned short special() {
        unsigned const nan = next.one_in(2) ? 1U + next.bits(5) : 0U;
        return static_cast<unsigned short>(next.bits(1) << 15 | infinity | nan);
    }

    // Fills a row of factors with numbers from make().
    template <int K, class Make> void fill(unsigned short (&x)[K], Make make) {
        for (auto& value : x) value = make();
    }

    // Draws the factors of a tile, as its kind demands.
    template <int K> void factors(tile_kind kind, tile<K>& t) {
        int const least = 1 - bias - Format::fraction_bits;
        int const center = next.between(-bias / 2, bias / 2);
        auto const fill_all = [&](auto make) {
            for (auto& row : t.a) fill(row, make);
            for (auto& column : t.b) fill(column, make);
        };
        // If b has powers of two only, the bits of a product are those of its factor in a.
        auto const powers = [&](int first, int last) {
            for (auto& column : t.b)
                fill(column, [&] { return number(next.between(first, last), 0); });
        };
        switch (kind) {
        case tile_kind::near_one:
            fill_all([&] { return between(-3, 3); });
            break;
        case tile_kind::wide:
            fill_all([&] { return between(least, bias); });
            break;
        case tile_kind::cancelling:
            fill_all([&] { return between(-4, 4); });
            for (int k = 0; k < K; k += 2) {
                int const partner = next.between(0, K / 2 - 1) * 2 + 1;
                for (auto& row : t.a) {
                    row[partner] =
                        row[k] ^ 0x8000U ^ (next.one_in(3) ? 1U << next.between(0, 4) : 0U);
                }
                for (auto& column : t.b) column[partner] = column[k];
            }
            break;
        case tile_kind::edges:
            powers(-1, 1);
            for (auto& row : t.a) {
                int const top = next.between(std::max(least + 20, -bias + 3), bias - 2);
                fill(row,
                     [&] { return number(next.one_in(6) ? top : top - next.between(18, 32)); });
            }
            break;
        case tile_kind::one_large:
            powers(0, 0);
            for (auto& row : t.a) {
                int const small = std::max(center - next.between(15, 28), least);
                fill(row, [&] { return between(small - 1, small + 1); });
                row[next.between(0, K - 1)] = number(center);
            }
            break;
        case tile_kind::tiny:
            for (auto& row : t.a) {
                int const low = next.one_in(2) ? least : std::max(least, -90);
                fill(row, [&] { return between(low, low + Format::fraction_bits + 4); });
            }
            // With bfloat16, products around the least subnormal float.
            for (auto& column : t.b) {
                int const low = std::max(least, -next.between(10, 75));
                fill(column, [&] { return between(low, low + 12); });
            }
            break;
        case tile_kind::permuted:
            for (auto& column : t.b) {
                unsigned short const unit = number(0, 0);
                fill(column, [&] { return unit; });
            }
            fill(t.a[0], [&] { return between(center - 14, center); });
            for (int i = 1; i < 16; ++i) {
                std::copy_n(t.a[i - 1], K, t.a[i]);
                std::swap(t.a[i][next.between(0, K - 1)], t.a[i][next.between(0, K - 1)]);
            }
            break;
        case tile_kind::zeros:
            fill_all([&] { return next.one_in(4) ? between(least, 2) : zero(); });
            if (next.one_in(4)) fill_all([&] { return zero(); });
            // Rows and columns of one sign: all addends may be negative.
            if (next.one_in(2)) {
                auto const of_one_sign = [&](auto& line) {
                    unsigned const sign = zero();
                    for (auto& x : line) x = static_cast<unsigned short>((x & 0x7fffU) | sign);
                };
                for (auto& row : t.a) of_one_sign(row);
                for (auto& column : t.b) of_one_sign(column);
            }
            break;
        case tile_kind::huge:
            fill_all([&] { return between(bias / 2 - 2, bias / 2 + 2); });
            break;
        case tile_kind::special:
            fill_all([&] {
                return next.one_in(40) ? special() : next.one_in(20) ? zero() : between(-2, 2);
            });
            break;
        case tile_kind::any_bits:
            fill_all([&] { return any_bits(); });
            break;
        }
    }

    // An initial value of the sum: zero, minus the sum of the products, or a random float.
    float begin(tile_kind kind, double products) {
        unsigned const random_float = next.bits(32);
        if (kind == tile_kind::any_bits) return std::bit_cast<float>(random_float);
        if (kind == tile_kind::special && next.one_in(10)) {
            return std::bit_cast<float>(next.bits(1) << 31 | 0x7f800000U |
                                        (next.one_in(2) ? next.bits(23) : 0U));
        }
        bool const usual = std::isfinite(products) && products != 0;
        int const exponent = usual ? std::ilogb(products) : 0;
        switch (next.between(0, kind == tile_kind::tiny ? 8 : 7)) {
        case 0:
            return 0.0F;
        case 1:
            return -0.0F;
        case 2:
            return static_cast<float>(usual ? -products : 1.0);
        case 3: {
            auto const bits = std::bit_cast<unsigned>(static_cast<float>(usual ? -products : 1.0));
            return std::bit_cast<float>(bits ^ next.bits(4));
        }
        case 4: {
            int const top = std::min(exponent + next.between(0, 30), 127);
            return static_cast<float>(std::ldexp(next.one_in(2) ? 1.0 : -1.0, top));
        }
        case 5:
        case 6: {
            int const field = std::clamp(exponent + next.between(-30, 30) + 127, 0, 254);
            return std::bit_cast<float>((random_float & 0x807fffffU) | static_cast<unsigned>(field)
                                                                           << 23);
        }
        case 7:
            if (kind != tile_kind::huge) return std::bit_cast<float>(0x3f800000U | next.bits(23));
            return std::bit_cast<float>(next.bits(1) << 31 | (0x7f7fffffU - next.bits(3)));
        default:
            return std::bit_cast<float>(random_float & 0x80ffffffU);
        }
    }

    // The factor with these bits.
    static double value_of(unsigned short bits) {
        if constexpr (Format::exponent_bits == 5) {
            return spio::sim::half_to_float(bits);
        } else {
            return spio::sim::bfloat16_to_float(bits);
        }
    }

    // Draws all numbers of a tile.
    template <int K> void make(tile_kind kind, tile<K>& t) {
        factors(kind, t);
        for (int i = 0; i < 16; ++i) {
            for (int j = 0; j < 8; ++j) {
                double products = 0;
                for (int k = 0; k < K; ++k) products += value_of(t.a[i][k]) * value_of(t.b[j][k]);
                t.c[i][j] = begin(kind, products);
            }
        }
    }
};

} // namespace test
