// Estimates how long a configuration of a matrix product takes.
// SPDX-License-Identifier: Apache-2.0
//
// A body is one of two kernel templates: cp_async, which multiplies by mma.sync, and wgmma. A block
// computes tiles of the result, one after the other; a step multiplies 64 (tile_k) of the places
// along k. The blocks of a cluster share what they load of the factors; splits are blocks that
// share the sum over k. A wave is as many tiles as the chip computes at a time. A chip is the
// figures of a GPU that estimates use.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.matmul;

import :misfit;
import spio.spec;

namespace spio::matmul {

namespace {

// The multiplications that an SM of a chip does in a cycle, by each instruction; 0: it has none.
struct chip_rates {
    std::string_view chip;
    double mma_sync, wgmma;
};
constexpr chip_rates rates[] = {
    {"H200", 1300, 2048}, // measured ceiling of mma.sync; data sheet
    {"A100", 1024, 0},    // these lines follow data sheets
    {"RTX 3090", 256, 0},
    {"RTX 4090", 512, 0},
};
// The rates of a chip; those of an A100 for one that is not in the table.
chip_rates const& rates_of(chip const& chip) {
    auto const* const found = std::ranges::find(rates, chip.name, &chip_rates::chip);
    return found == std::end(rates) ? rates[1] : *found;
}

// Constants of the estimate, fitted to times of 101 products in 40 configurations each on an H200.
struct fitted_constants {
    // Of the body wgmma: a launch with its first loads, and the stores of a tile, per element.
    double launch_microseconds = 1.6, element_microseconds = 3.6e-5;
    double later_element_microseconds = 4.2e-5; // of a tile that follows another one
    double sharing_microseconds = 0.46;         // of a cluster whose blocks share factors
    double step_cycles = 70;                    // of a step along k, beside its loads
    double load_cycles = 15.1e-3;               // of a byte that comes to an SM
    double wgmma_share = 0.83;                  // of the rate of wgmma
    double cache_bytes = 13.2e6;                // in a microsecond, from the L2 cache to all SMs
    double memory_bytes = 3.8e6;                // and from memory
    // The exchange of the sums of splits: once, for each doubling of the splits, and per element of
    // a tile.
    double exchange_microseconds = 0.73, doubling_microseconds = 0.21;
    double sent_element_microseconds = 5e-5;
    // Of ping-pong, fitted to times of 12 products of k up to 1024 in 10 configurations each: the
    // mean error is 5 %.
    double turns_launch_microseconds = 1, turns_element_microseconds = 8.2e-5;
    double turns_later_element_microseconds = 4.7e-5;
    double turns_sharing_microseconds = 0.24;
    double turns_share = 0.87; // of the rates of wgmma and of shared memory
    double turns_cache_bytes = 11.3e6, turns_memory_bytes = 4.4e6;
    double shared_memory_bytes = 128; // in a cycle, for TMA and wgmma
    // Of the body cp_async, fitted to times of 90 products in 21 configurations each.
    double cp_async_launch_microseconds = 2.43;
    double first_tile_microseconds = 8.5e-5; // of an element of an SM's first tile
    double later_tile_microseconds = 1e-4;   // and of a later one: beside its products
    double wait_cycles = 480;                // at least of a step along k
    double line_cycles = 1;                  // of a line of both factors that comes in a step
    double mma_sync_share = 1.17;            // of the rate, for tiles without edges
    double edge_cost = 105;                  // the larger, the slower are small tiles: share_of()
    double copy_share = 0.73;                // of the rate of a copy
};
constexpr fitted_constants fitted;

// The bytes of all matrices, each moved once.
double bytes_of(problem const& problem) {
    double const m = problem.m, n = problem.n, k = problem.k;
    double const results = m * n * problem.result_bytes() * (problem.residual ? 2 : 1);
    return problem.batch * (2 * k * (m + n) + results);
}

// What the L2 cache is asked for each 128 bytes of a line that TMA loads: two requests unless these
// begin at a multiple of 128 bytes. Lines of a factor go along k or along its other side.
double requests_of_line(problem const& problem, bool along_k, int side) {
    long long const pitch = 2LL * (along_k ? problem.k : side);
    long long const aligned = std::min<long long>(pitch & -pitch, line_bytes);
    return 2 - static_cast<double>(aligned) / line_bytes;
}

// The share of a rate that tiles of m x n reach: small ones read more shared memory for each
// product.
double share_of(int m, int n) { return 1 / (1 + fitted.edge_cost * (1.0 / m + 1.0 / n) / 2); }

// The bytes that the blocks of a cluster ask the L2 cache for in a step along k, for one of them.
double loaded_bytes_of(problem const& problem, wgmma::config const& config) {
    return line_bytes *
           (config.m * requests_of_line(problem, problem.a == order::rows, problem.m) /
                config.cluster_n +
            config.n * requests_of_line(problem, problem.b == order::columns, problem.n) /
                config.cluster_m);
}
// In ping-pong, the step of a tile reads b once for each 64 rows, and is not shared by warpgroups.
// So it may take shared memory, into which TMA writes meanwhile, longer than the tensor cores. One
// consumer stores while the other one multiplies: what is longer counts.
void estimate_turns(estimate& result, problem const& problem, wgmma::config const& config,
                    arch arch) {
    chip const& chip = chip_of(arch);
    auto const tiles = static_cast<double>(config.tiles(sizes_of(problem)));
    double const clusters = concurrent_clusters(config, arch);
    double const elements = config.m * config.n;
    double const read_bytes = line_bytes * (config.m + config.m / 64.0 * config.n);
    double const cycles =
        std::max(elements * tile_k / rates_of(chip).wgmma,
                 (config.stage_bytes() + read_bytes) / fitted.shared_memory_bytes);
    double const loads =
        std::min(tiles, clusters) * config.cluster() * loaded_bytes_of(problem, config);
    double const step =
        std::max(cycles / fitted.turns_share / chip.clock_mhz, loads / fitted.turns_cache_bytes);
    double const products = config.depth(problem.k) * step; // of a tile
    double const stores = elements * fitted.turns_later_element_microseconds;
    result.waves = tiles / clusters;
    result.traffic = result.bytes / fitted.turns_memory_bytes;
    result.arithmetic =
        products + (std::ceil(result.waves) - 1) * std::max(products, (products + stores) / 2);
    result.microseconds = fitted.turns_launch_microseconds +
                          elements * fitted.turns_element_microseconds +
                          std::hypot(result.traffic, result.arithmetic);
    if (config.sharers() > 1) result.microseconds += fitted.turns_sharing_microseconds;
}

// The time of a step along k is that of the tensor cores, or of the loads of an SM, or of what the
// L2 cache gives to all of them. Where traffic and arithmetic take the same time, they are not
// hidden behind each other altogether: the fourth root of 2 counts.
void estimate_time(estimate& result, problem const& problem, wgmma::config const& config,
                   arch arch) {
    if (config.ping_pong) return estimate_turns(result, problem, config, arch);
    chip const& chip = chip_of(arch);
    auto const sizes = sizes_of(problem);
    auto const tiles = static_cast<double>(config.tiles(sizes));
    double const clusters = concurrent_clusters(config, arch);
    double const elements = config.m * config.n;
    double const loaded_bytes = loaded_bytes_of(problem, config);
    // The blocks of an SM share its tensor cores and its loads.
    double const sharing = std::clamp(config.blocks * tiles / clusters, 1.0, 1.0 * config.blocks);
    double const cycles =
        std::max(sharing * elements * tile_k / (rates_of(chip).wgmma * fitted.wgmma_share),
                 fitted.step_cycles + sharing * fitted.load_cycles * config.stage_bytes());
    double const loads = std::min(tiles, clusters) * config.cluster() * loaded_bytes;
    double const step = std::max(cycles / chip.clock_mhz, loads / fitted.cache_bytes);
    result.waves = tiles / clusters;
    double const waves = std::ceil(result.waves);
    result.traffic = result.bytes / fitted.memory_bytes;
    result.arithmetic = waves * config.depth(problem.k) * step +
                        (waves - 1) * elements * fitted.later_element_microseconds;
    result.microseconds =
        fitted.launch_microseconds + elements * fitted.element_microseconds +
        std::pow(std::pow(result.traffic, 4) + std::pow(result.arithmetic, 4), 0.25);
    if (config.sharers() > 1) result.microseconds += fitted.sharing_microseconds;
    if (config.splits > 1) {
        double const sent = elements * (1 - 1.0 / config.splits);
        result.microseconds += fitted.exchange_microseconds +
                               std::log2(config.splits) * fitted.doubling_microseconds +
                               waves * sent * fitted.sent_element_microseconds;
    }
}
// Fills in the time of a kernel by cp.async.
void estimate_time(estimate& result, problem const& problem, cp_async::config const& config,
                   arch arch) {
    chip const& chip = chip_of(arch);
    constexpr int registers = 255; // as many as a thread may have
    int const blocks =
        std::max(1, concurrent_blocks(chip, {.threads = config.threads(),
                                             .registers = registers,
                                             .shared_bytes = config.shared_bytes()}));
    double const products = fitted.mma_sync_share * rates_of(chip).mma_sync *
                            share_of(config.m, config.n); // of a cycle
    // A step along k of all blocks of an SM, of which there are so many.
    auto const step = [&](double count) {
        return std::max(count * config.m * config.n * tile_k / products,
                        fitted.wait_cycles + count * fitted.line_cycles * (config.m + config.n));
    };
    auto const tiles = static_cast<double>(config.tiles(sizes_of(problem)));
    double const full_waves = std::floor(tiles / (chip.sm_count * blocks));
    double const last = // blocks of an SM in the last wave
        std::ceil((tiles - full_waves * chip.sm_count * blocks) / chip.sm_count);
    double const cycles =
        divup(problem.k, tile_k) * (full_waves * step(blocks) + (last > 0 ? step(last) : 0));
    double const elements = 1.0 * config.m * config.n;
    result.waves = tiles / (chip.sm_count * blocks);
    result.traffic = result.bytes / (fitted.copy_share * chip.copy_bytes);
    result.arithmetic = cycles / chip.clock_mhz;
    result.microseconds =
        fitted.cp_async_launch_microseconds + elements * fitted.first_tile_microseconds +
        (full_waves * blocks + last - 1) * elements * fitted.later_tile_microseconds +
        std::pow(std::pow(result.traffic, 4) + std::pow(result.arithmetic, 4), 0.25);
}

} // namespace

estimate explain(problem const& problem, config const& config, arch arch) {
    check(problem);
    std::visit(
        [&](auto const& body_config) {
            if (body_config.fits(problem)) return;
            spio::check("matmul", body_config);
            throw error(error_kind::invalid, "explain", "matmul " + text_of(problem),
                        "the configuration " + config_text(config) +
                            " does not fit: " + misfit(problem, body_config).text());
        },
        config);
    // The host device runs both bodies; that of wgmma is estimated for its own GPU.
    if (arch.is_host && std::holds_alternative<wgmma::config>(config)) arch = sm_90a;
    estimate result;
    result.bytes = bytes_of(problem);
    std::visit([&](auto const& body_config) { estimate_time(result, problem, body_config, arch); },
               config);
    return result;
}

std::string estimate::explained() const {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "%.1f us: %.1f MB, traffic %.1f us, arithmetic %.1f us; %.2f tiles of a processor",
        microseconds, bytes / 1e6, traffic, arithmetic, waves);
    return text;
}

} // namespace spio::matmul
