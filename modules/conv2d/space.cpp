// Lists the configurations that are worth a trial.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of four kernel templates; a configuration is how blocks and warps share a problem. A
// trial measures a configuration on a GPU. Channels are convolved in groups of 8, and a warp
// multiplies tiles of 16 columns (mma tiles). A chip is the figures of a GPU that estimates use. A
// split is a share of the sums of wgrad. A checked_size is a number that becomes too large, and
// stays so, where an int would overflow.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import :estimate_parts;
import :estimator;
import spio.spec;

namespace spio::conv2d {

namespace {

// A configuration is worth a trial if its estimated time is at most this multiple of the fastest.
constexpr double slowest_trial = 1.25;

// Whether a thread may have the registers that it is estimated to need, if `blocks` blocks are to
// be resident on an SM. The compiler puts what else there is into local memory, and such a kernel
// is not worth a trial.
bool leaves_registers(problem const& problem, cp_async::config const& config, chip const& chip) {
    return config.registers(problem) <= most_registers &&
           config.blocks <= config.most_blocks(problem, chip.sm_registers);
}

// The numbers of channel groups (of 8) per block that are worth a trial: at least 4 if the problem
// has that many, so that a pixel is at least half a cache line, and such that few groups are idle.
std::vector<int> group_counts(int groups) {
    std::vector<int> counts;
    for (int const count : {1, 2, 3, 4, 6, 8, 9, 12, 16}) {
        bool const is_narrow = count < 4 && groups >= 4;
        int const idle_groups = divup(groups, count) * count - groups; // of the last block
        bool const is_wasteful = 8 * idle_groups > groups;
        if (count <= groups && !is_narrow && !is_wasteful) counts.push_back(count);
    }
    if (counts.empty()) counts.push_back(std::min(groups, 8));
    return counts;
}

// The numbers of rows per block that are worth a trial: `least` and its doubles below the size and
// below `most`, and the smaller of these two.
std::vector<int> row_counts(int size, int least, int most) {
    std::vector<int> counts;
    for (int count = least; count < std::min(size, most); count *= 2) counts.push_back(count);
    counts.push_back(std::min(size, most));
    return counts;
}

// All strips of a block that are worth trying: up to 128 columns in all.
std::vector<strip> strips_of(problem const& problem, correlation const& sizes) {
    std::vector<strip> strips;
    int const mma_tiles = divup(sizes.q, 16);
    for (int const columns : {16, 32, 48, 64, 96, 128}) {
        if (columns / 16 <= mma_tiles) strips.push_back({1, columns});
    }
    if (mma_tiles > 8) return strips; // even one image has more columns than a block
    int const image_columns = sizes.q <= 8 ? 8 : 16 * mma_tiles;
    for (int const images : {2, 4, 8, 16}) {
        bool const is_allowed = images <= problem.n || (sizes.q <= 8 && images == 2);
        if (is_allowed && images * image_columns <= 128) strips.push_back({images, image_columns});
    }
    return strips;
}

// The configuration that best_tma() chooses, and its neighbours.
std::vector<tma::config> tma_configs(problem const& problem) {
    tma::config const best = best_tma(problem);
    std::vector<tma::config> configs;
    for (int const groups : {best.groups, best.groups / 2, 2 * best.groups}) {
        for (int const rows : {best.rows, best.rows / 2, 2 * best.rows}) {
            for (int const factor : {1, 2}) {
                tma::config config = best;
                config.groups = groups;
                config.rows = rows;
                (best.columns == 8 ? config.images : config.columns) *= factor;
                if (!config.fits(problem)) continue;
                config.blocks = blocks_of_sm(problem, config);
                if (config.blocks > 0) configs.push_back(config);
            }
        }
    }
    return configs;
}

// Configurations and their estimated times.
class ranking {
  public:
    ranking(problem const& problem, arch arch) : ranked(problem), code(arch) {}

    void add(config const& config) {
        entries.emplace_back(estimated(ranked, config, code).microseconds, config);
    }
    // The configurations worth a trial, the fastest first.
    std::vector<config> fastest() {
        std::ranges::sort(entries, {}, [](auto const& entry) { return entry.first; });
        std::vector<config> configs;
        for (auto const& [microseconds, config] : entries) {
            if (microseconds <= slowest_trial * entries.front().first) configs.push_back(config);
        }
        return configs;
    }

  private:
    problem ranked;
    arch code;
    std::vector<std::pair<double, config>> entries;
};

// Moves the measured configuration to the front, if it is among those worth a trial.
void put_first(std::vector<config>& configs, config const& measured) {
    auto const found = std::ranges::find(configs, config_text(measured), config_text);
    if (found != configs.end()) std::rotate(configs.begin(), found, found + 1);
}

// The best configuration of a kernel template of wgrad, its neighbours that fit into shared memory,
// and the one whose clusters add their sums, if there is any.
template <class Config, class F>
std::vector<config> gradient_configs(problem const& problem, arch arch, Config const& best,
                                     F has_room, cluster_choice const& cluster = {}) {
    ranking ranking(problem, arch);
    if (cluster.microseconds > 0) ranking.add(cluster.config);
    for (int const groups : {best.groups, best.groups / 2}) {
        for (int const splits : {best.splits, best.splits / 2}) {
            if (splits == 0) continue; // which leaves their number to the launch
            for (int const stages : {best.stages, best.stages / 2}) {
                Config config = best;
                config.groups = groups;
                config.splits =
                    (checked_size(splits) * (best.groups / std::max(groups, 1))).as_int();
                config.stages = stages;
                if (!config.fits(problem) || !has_room(config)) continue;
                ranking.add(config);
                if constexpr (requires { config.parts; }) {
                    auto const divided = std::get<Config>(with_parts(problem, config, arch));
                    if (divided.parts != config.parts) ranking.add(divided);
                }
            }
        }
    }
    auto configs = ranking.fastest();
    put_first(configs, best);
    return configs;
}

// Lists only the kernel template wgrad_tma where it can run: it was faster than wgrad_cp_async in
// all measurements.
std::vector<config> gradient_space(problem const& problem, arch arch) {
    chip const& chip = chip_of(arch);
    if (chip.has_tma) {
        auto const best = best_wgrad_tma(problem, arch);
        if (best.fits(problem)) {
            return gradient_configs(
                problem, arch, best, [](auto const&) { return true; },
                best_wgrad_cluster(problem, arch));
        }
    }
    return gradient_configs(
        problem, arch, best_wgrad_cp_async(problem, arch), [&](auto const& config) {
            auto const bytes = checked_size(config.shared_bytes(problem)) + reserved_shared_bytes;
            return (bytes * config.blocks).value <= chip.shared_bytes;
        });
}

} // namespace

std::vector<config> space(problem const& problem, arch arch) {
    check(problem);
    if (problem.pass == direction::wgrad) return gradient_space(problem, arch);
    chip const& chip = chip_of(arch);
    correlation const sizes = correlation_of(problem);
    int const rows_of_phase = divup(sizes.p, rows_of(sizes).phases());
    ranking ranking(problem, arch);
    auto const add = [&](cp_async::config config) {
        if (!is_admitted(problem, config, chip)) return;
        config.blocks = std::clamp(estimated(problem, config, arch).blocks_per_sm, 1,
                                   std::max(1, config.most_blocks(problem, chip.sm_registers)));
        if (leaves_registers(problem, config, chip)) ranking.add(config);
    };
    for (int const groups : group_counts(problem.groups())) {
        for (auto const& [images, columns] : strips_of(problem, sizes)) {
            constexpr int least_rows = 4, most_rows = 64;
            for (int const rows : row_counts(rows_of_phase, least_rows, most_rows)) {
                for (int const mma_tiles : {1, 2, 3, 4}) {
                    for (int const stages : {3, 4}) {
                        for (bool const unrolled : {true, false}) {
                            add({.groups = groups,
                                 .images = images,
                                 .columns = columns,
                                 .rows = rows,
                                 .mma_tiles = mma_tiles,
                                 .stages = stages,
                                 .blocks = 0, // add() sets it
                                 .unrolled = unrolled});
                        }
                    }
                }
            }
        }
    }
    if (chip.has_tma && tma::config::has_pass(problem)) {
        for (auto const& config : tma_configs(problem)) ranking.add(config);
    }
    auto configs = ranking.fastest();
    if (!configs.empty() && needs_maps(configs.front())) put_first(configs, best_tma(problem));
    return configs;
}

} // namespace spio::conv2d
