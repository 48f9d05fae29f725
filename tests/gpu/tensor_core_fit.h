// Finds the ways of summing that give a chip's results.
// SPDX-License-Identifier: Apache-2.0
//
// An experiment is one instruction and many tiles of inputs for it; a candidate is a way of summing
// that may be the chip's. A way has these properties: how many terms are added at once, aligned to
// the largest exponent with so many fraction bits; how addends and sums are rounded; whether the
// accumulator is one of the terms (inside) or added after; and what happens at zeros and overflow.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tensor_core_experiment.h"

namespace test {

using spio::sim::rounding;
using spio::sim::tensor_core;
using experiments = std::vector<std::unique_ptr<experiment>>;

inline constexpr int sums_per_tile = 16 * 8;
inline constexpr int least_fraction_bits = 21;
inline constexpr int most_fraction_bits = 29;

// A way of summing, and how many of the sums in each experiment it gets right.
struct candidate {
    tensor_core core;
    std::vector<std::int64_t> right = {};
    std::int64_t total = 0;

    std::int64_t all_right() const {
        std::int64_t sum = 0;
        for (auto n : right) sum += n;
        return sum;
    }
    double share() const { return static_cast<double>(all_right()) / static_cast<double>(total); }
    bool fits() const { return all_right() == total; }
};

// Whether the modelled tensor core gives the bits that the GPU gave.
inline bool is_right(tensor_core const& core, sum_record const& measured) {
    float const sum = core.accumulate(measured.c, measured.products, measured.count);
    return std::bit_cast<unsigned>(sum) == std::bit_cast<unsigned>(measured.result);
}

// Counts the right sums of all candidates, on the first tiles of each experiment.
inline void judge(std::vector<candidate>& candidates, experiments const& experiments, int tiles) {
    auto const threads = std::max(1U, std::thread::hardware_concurrency());
    for (auto& c : candidates) {
        c.right.assign(experiments.size(), 0);
        c.total = 0;
    }
    for (std::size_t e = 0; e < experiments.size(); ++e) {
        std::int64_t const sums =
            std::int64_t{sums_per_tile} * std::min(tiles, experiments[e]->tiles());
        std::vector<std::vector<std::int64_t>> right(threads);
        std::vector<std::thread> workers;
        for (unsigned t = 0; t < threads; ++t) {
            workers.emplace_back([&, t] {
                std::vector<std::int64_t> mine(candidates.size());
                for (std::int64_t n = t; n < sums; n += threads) {
                    auto const x = experiments[e]->record(n);
                    for (std::size_t i = 0; i < mine.size(); ++i) {
                        mine[i] += is_right(candidates[i].core, x);
                    }
                }
                right[t] = std::move(mine);
            });
        }
        for (auto& worker : workers) worker.join();
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            for (auto const& mine : right) candidates[i].right[e] += mine[i];
            candidates[i].total += sums;
        }
    }
}

// Keeps the candidates that explain the most sums.
inline void keep_best(std::vector<candidate>& candidates, std::size_t count) {
    std::ranges::sort(candidates, std::ranges::greater(), &candidate::all_right);
    if (candidates.size() > count) candidates.resize(count);
}

constexpr char const* name_of(rounding mode) {
    return mode == rounding::to_zero ? "to zero" : mode == rounding::down ? "down" : "nearest";
}

inline std::string description(tensor_core const& core) {
    auto const yes = [](bool b) { return b ? "yes" : "no"; };
    return "terms " + std::to_string(core.terms) + ", fraction bits " +
           std::to_string(core.fraction_bits) + ", addends " + name_of(core.of_addends) + ", sum " +
           name_of(core.of_sum) + ", accumulator " +
           (core.accumulator_inside ? "inside" : "after") + ", normalizes addends " +
           yes(core.normalizes_addends) + ", exponent of zero " +
           (core.exponent_of_zero == tensor_core::own_exponent
                ? "its own"
                : std::to_string(core.exponent_of_zero)) +
           ", overflows to infinity " + yes(core.overflows_to_infinity) +
           ", small sum keeps sign " + yes(core.small_sum_keeps_sign) + ", zero sum keeps sign " +
           yes(core.zero_sum_keeps_sign);
}

// Every way to align, truncate and add, in the order of the table, whose columns are fraction bits.
inline std::vector<candidate> ways_to_add() {
    std::vector<candidate> candidates;
    for (int terms : {4, 8, 16}) {
        for (bool inside : {true, false}) {
            for (bool normalizes : {false, true}) {
                for (auto of_addends : {rounding::to_zero, rounding::down, rounding::to_nearest}) {
                    for (auto of_sum : {rounding::to_zero, rounding::down, rounding::to_nearest}) {
                        for (int bits = least_fraction_bits; bits <= most_fraction_bits; ++bits) {
                            candidates.push_back({.core = {.terms = terms,
                                                           .fraction_bits = bits,
                                                           .of_addends = of_addends,
                                                           .of_sum = of_sum,
                                                           .accumulator_inside = inside,
                                                           .normalizes_addends = normalizes}});
                        }
                    }
                }
            }
        }
    }
    return candidates;
}

// Prints the shares of right sums, one row for the ways that differ in the fraction bits only.
inline void print_table(std::vector<candidate> const& ways) {
    std::printf("%% of results equal, by fraction bits kept below the largest exponent\n"
                "%5s %6s %10s %8s %8s |",
                "terms", "accum.", "normalizes", "addends", "sum");
    for (int bits = least_fraction_bits; bits <= most_fraction_bits; ++bits) {
        std::printf(" %7d", bits);
    }
    for (auto const& way : ways) {
        auto const& c = way.core;
        if (c.fraction_bits == least_fraction_bits) {
            std::printf(
                "\n%5d %6s %10s %8s %8s |", c.terms, c.accumulator_inside ? "inside" : "after",
                c.normalizes_addends ? "yes" : "no", name_of(c.of_addends), name_of(c.of_sum));
        }
        std::printf(" %7.3f", 100 * way.share());
    }
    std::printf("\n");
}

// Each of these ways with every behaviour at zeros and overflow.
inline std::vector<candidate> ways_with_zeros(std::vector<candidate> const& ways) {
    std::vector<candidate> candidates;
    for (auto const& way : ways) {
        // With the first exponent, zeros never set the largest exponent. The others are those of
        // the smallest products and of the smallest floats, and of numbers around them.
        std::vector<int> exponents = {-900, tensor_core::own_exponent};
        for (int exponent = -164; exponent <= -110; ++exponent) exponents.push_back(exponent);
        for (int exponent : exponents) {
            for (int bits = 0; bits < 8; ++bits) {
                auto core = way.core;
                core.exponent_of_zero = exponent;
                core.overflows_to_infinity = bits & 1;
                core.small_sum_keeps_sign = bits & 2;
                core.zero_sum_keeps_sign = bits & 4;
                candidates.push_back({.core = core});
            }
        }
    }
    return candidates;
}

// Prints for each experiment the first `most` sums that `core` computes otherwise than the chip,
// and how many these are for each kind of tile.
inline void print_counterexamples(tensor_core const& core, experiments const& experiments,
                                  int most) {
    for (auto const& e : experiments) {
        int shown = 0;
        int kinds[tile_kinds] = {};
        for (std::int64_t n = 0; n < e->sums(); ++n) {
            auto const x = e->record(n);
            if (is_right(core, x)) continue;
            ++kinds[static_cast<int>(x.kind)];
            if (shown++ >= most) continue;
            std::printf("    %s, %s: c %08x (%a), chip %08x (%a), model %a\n      a", e->name(),
                        tile_kind_names[static_cast<int>(x.kind)], std::bit_cast<unsigned>(x.c),
                        x.c, std::bit_cast<unsigned>(x.result), x.result,
                        core.accumulate(x.c, x.products, x.count));
            for (int k = 0; k < x.count; ++k) std::printf(" %04x", x.a[k]);
            std::printf("\n      b");
            for (int k = 0; k < x.count; ++k) std::printf(" %04x", x.b[k]);
            std::printf("\n");
        }
        if (shown == 0) continue;
        std::printf("    %s: %d wrong, by kind:", e->name(), shown);
        for (int kind = 0; kind < tile_kinds; ++kind) {
            if (kinds[kind] > 0) std::printf(" %s %d", tile_kind_names[kind], kinds[kind]);
        }
        std::printf("\n");
    }
}

} // namespace test
