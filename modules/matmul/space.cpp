// Lists the configurations of matrix products, the fastest by their estimated times first.
// SPDX-License-Identifier: Apache-2.0
//
// A body is one of matmul's kernel templates. M and N are rows and columns of the result, K what
// the product sums over. A stage is one place of a ring in shared memory. The blocks of a cluster
// share what they load of the factors; splits are blocks that share the sum over K. A candidate is
// a configuration that may be chosen.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

module spio.matmul;

import spio.spec;

namespace spio::matmul {

namespace {

// A configuration is worth a trial if its estimated time is at most this multiple of the fastest.
constexpr double slowest_trial = 1.3;

// The configuration with as many stages as shared memory has room for: at most 8, or up to 12
// stages of at most 128 KiB in all. Two stages if nothing fits.
wgmma::config deepest(problem const& problem, wgmma::config config, int buffers) {
    constexpr int band_rows = 2048; // of the result: its tiles are computed column by column
    config.band = max(1, band_rows / (config.m * config.cluster_m));
    config.buffers = max(2, buffers);
    config.stages = std::clamp((128 << 10) / config.stage_bytes(), 8, 12);
    while (!config.fits(problem) && config.stages > 2) --config.stages;
    return config;
}
// Calls add() with a configuration of the body wgmma that has buffers for a whole tile of the
// result and, if these take the room of a stage, with one that has two buffers. The smaller buffers
// come first, but not where a block has one consumer: while that one waits for its stores, nobody
// else multiplies.
template <class Add>
void add_deepest(problem const& problem, wgmma::config const& config, Add const& add) {
    auto const large = deepest(problem, config, config.boxes(problem));
    auto const small = deepest(problem, config, /*buffers=*/2);
    bool const has_both = small.stages > large.stages || !large.fits(problem);
    // Blocks with no more stages than steps leave room for those of the next kernel.
    auto const add_both_depths = [&](wgmma::config deep) {
        add(deep);
        int const depth = divup(deep.depth(problem.k), 2) * 2; // the next even number
        if (!problem.has_static_k() || depth >= deep.stages) return;
        deep.stages = depth;
        add(deep);
    };
    if (has_both && config.consumers() > 1) add_both_depths(small);
    add_both_depths(large);
    if (has_both && config.consumers() == 1) add_both_depths(small);
}
// Calls add() with the configurations of the body wgmma. Splits are worth a trial where there are
// few tiles for each SM, and where each split has at least two steps along k. A tile size is not
// worth a trial if the next smaller size divides the result into as many tiles.
template <class Add> void add_wgmma_configs(problem const& problem, int sm_count, Add const& add) {
    for (int const m : {128, 64, 192}) {
        if (m > 64 && divup(problem.m, m) == divup(problem.m, m - 64)) continue;
        // Narrow tiles are for products that have few.
        bool const has_few = divup(problem.m, m) * divup(problem.n, 64) <= 2 * sm_count;
        // A box of b that lies by rows is as wide as a line.
        int const unit = problem.b == order::rows ? tile_k : 16;
        for (int n = 256; n >= (has_few ? unit : 64); n -= unit) {
            if (m == 192 && n > 192) continue; // a thread has no registers for more sums
            if (n > unit && divup(problem.n, n) == divup(problem.n, n - unit)) continue;
            for (auto const& [cluster_m, cluster_n] :
                 {std::pair(2, 1), {1, 2}, {1, 1}, {2, 2}, {4, 1}, {1, 4}, {2, 4}, {4, 2}}) {
                wgmma::config config = {.m = m,
                                        .n = n,
                                        .stages = 2,
                                        .buffers = 2,
                                        .cluster_m = cluster_m,
                                        .cluster_n = cluster_n,
                                        .band = 1};
                add_deepest(problem, config, add);
                if (config.sharers() > 2) continue;
                config.blocks = 2;
                add_deepest(problem, config, add);
                config.blocks = 1;
                for (int const splits : {2, 3, 4, 5, 6, 8}) {
                    config.splits = splits;
                    auto const blocks = config.tiles(sizes_of(problem)) * config.cluster();
                    if (blocks >= 4LL * sm_count || problem.k < 2 * splits * tile_k) break;
                    add_deepest(problem, config, add);
                }
            }
        }
    }
}
// Calls add() with configurations in ping-pong, which are worth a trial where k is short and each
// SM has several tiles: then the stores of one tile take as long as many products of the next one.
// As many stages as fit come before buffers.
template <class Add> void add_ping_pong_configs(problem const& problem, arch arch, Add const& add) {
    constexpr int longest = 1024; // along k: above, ping-pong was not faster on an H200
    if (problem.k > longest) return;
    int const unit = problem.b == order::rows ? tile_k : 16;
    for (int const m : {128, 192}) {
        for (int n = 192; n >= 128; n -= unit) {
            if (n > 128 && divup(problem.n, n) == divup(problem.n, n - unit)) continue;
            for (auto const& [cluster_m, cluster_n] : {std::pair(1, 2), {2, 1}, {1, 1}}) {
                wgmma::config config = deepest(problem,
                                               {.m = m,
                                                .n = n,
                                                .stages = 2,
                                                .buffers = 2,
                                                .cluster_m = cluster_m,
                                                .cluster_n = cluster_n,
                                                .band = 1,
                                                .ping_pong = true},
                                               /*buffers=*/2);
                if (!config.fits(problem)) continue;
                if (config.tiles(sizes_of(problem)) <= concurrent_clusters(config, arch)) continue;
                auto larger = config;
                while (config.buffers < config.boxes(problem)) {
                    ++larger.buffers;
                    if (!larger.fits(problem)) break;
                    config = larger;
                }
                add(config);
            }
        }
    }
}
// Calls add() with all configurations of the body cp_async: seven tiles, with 4, 3 and 2 stages.
template <class Add> void add_cp_async_configs(Add const& add) {
    struct {
        int m, n, warps_m, warps_n;
    } constexpr tiles[] = {{128, 256, 2, 4}, {256, 128, 4, 2}, {128, 128, 2, 4}, {128, 128, 2, 2},
                           {128, 64, 2, 2},  {64, 128, 2, 2},  {64, 64, 2, 2}};
    for (auto const& [m, n, warps_m, warps_n] : tiles) {
        for (int const stages : {4, 3, 2}) {
            constexpr int band_rows = 1024; // of the result: its tiles run column by column
            add(cp_async::config{.m = m,
                                 .n = n,
                                 .warps_m = warps_m,
                                 .warps_n = warps_n,
                                 .stages = stages,
                                 .band = band_rows / m});
        }
    }
}

double time_of(candidate const& candidate) { return candidate.expected.microseconds; }

// By rising time; of equal times, the first comes first.
std::vector<candidate> sorted_by_time(std::vector<candidate> const& list) {
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(time_of(list[i]), i); });
    std::vector<candidate> sorted;
    for (std::size_t const i : order) {
        sorted.push_back(list[i]);
    }
    return sorted;
}

} // namespace

std::vector<candidate> candidates(problem const& problem, arch arch, body body) {
    check(problem);
    std::vector<candidate> list;
    auto const add = [&](auto const& config) {
        if (!config.fits(problem) || shared_bytes_of(problem, config) > shared_bytes_of_block(arch))
            return;
        list.push_back({config, explain(problem, config, arch)});
    };
    if (body == body::cp_async) {
        add_cp_async_configs(add);
    } else if (arch.has_wgmma()) {
        add_wgmma_configs(problem, chip_of(arch.is_host ? sm_90a : arch).sm_count, add);
        add_ping_pong_configs(problem, arch, add);
    }
    return sorted_by_time(list);
}

std::vector<config> space(problem const& problem, arch arch, body body) {
    std::vector<config> configs;
    for (auto const& candidate : candidates(problem, arch, body)) {
        configs.push_back(candidate.config);
    }
    return configs;
}

std::vector<config> space(problem const& problem, arch arch) {
    auto list = candidates(problem, arch, body::wgmma);
    // The body cp_async takes what wgmma does not.
    if (list.empty() || arch.is_host) {
        auto const others = candidates(problem, arch, body::cp_async);
        list.insert(list.end(), others.begin(), others.end());
    }
    list = sorted_by_time(list);
    std::vector<config> configs;
    for (auto const& candidate : list) {
        if (time_of(candidate) > slowest_trial * time_of(list.front())) break;
        configs.push_back(candidate.config);
    }
    return configs;
}

} // namespace spio::matmul
