// Computes what a learned model knows of a matrix product and a configuration.
// SPDX-License-Identifier: Apache-2.0
//
// A feature is a number that a learned model gets; the model predicts the time. M and N are the
// rows and columns of the result, K what the product sums over. A cluster of blocks computes
// neighbouring tiles, and shares factors; its splits are blocks that share the sum over K. A wave
// is as many tiles as the chip computes at a time. A line is a row or column of a matrix, whichever
// is contiguous in memory.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

module spio.matmul;

import spio.spec;

namespace spio::matmul {

namespace {

// The order is that in which features_of() adds the values.
constexpr std::array<std::string_view, feature_count> names = {
    // The problem. Sizes are logarithms; pitches are the largest powers of two, up to 256 bytes, of
    // which the distances of lines are multiples.
    "log_m", "log_n", "log_k", "log_m_over_n", "log_copy_over_launch", "log_bytes_over_cache",
    "log_products_of_byte", "log_pitch_of_k", "log_pitch_of_n", "result_bytes",
    // The configuration.
    "m", "n", "stages", "cluster_m", "cluster_n", "splits", "blocks", "log_tile", "log_tile_shape",
    // The shares of tiles and steps that lie inside the matrices.
    "m_used", "n_used", "k_used", "work_used", "line_share_of_k",
    // How tiles fill the chip.
    "log_waves", "waves", "last_wave", "sms_used", "log_tiles_along_m", "log_tiles_along_n",
    "log_steps", "log_steps_of_block", "log_bytes_in_flight", "log_loads_of_wave",
    // The exchange of splits, and the store of a tile.
    "sent_share", "log_columns_of_store", "stores_at_once",
    // The estimate and its parts.
    "log_estimate_over_launch", "log_arithmetic_over_traffic", "traffic_share", "arithmetic_share",
    "log_load_over_products", "log_loaded_over_bytes", "log_area_of_block"};
static_assert(!names.back().empty());

constexpr double cache_bytes = 50e6; // of the L2 cache of an H200

double logarithm(double value) { return std::log2(std::max(value, 1e-6)); }
// The share of tiles of this size that lies inside.
double used(double size, double tile) { return size / (std::ceil(size / tile) * tile); }
// The logarithm of the largest power of two, up to 256, that divides a number of bytes.
double log_pitch(long long bytes) {
    int log = 0;
    while (log < 8 && bytes % (2LL << log) == 0) ++log;
    return log;
}

// Features, added one after the other in the order of their names.
struct feature_list {
    features values;
    int count = 0;

    void add(double value) { values[count++] = static_cast<float>(value); }
};

void add_problem(feature_list& list, problem const& problem, estimate const& expected,
                 chip const& chip) {
    double const m = problem.m, n = problem.n, k = problem.k;
    list.add(logarithm(m));
    list.add(logarithm(n));
    list.add(logarithm(k));
    list.add(logarithm(m / n));
    list.add(logarithm(expected.bytes / chip.copy_bytes / chip.launch_microseconds));
    list.add(logarithm(expected.bytes / cache_bytes));
    list.add(logarithm(problem.batch * m * n * k / expected.bytes));
    list.add(log_pitch(2LL * problem.k));
    list.add(log_pitch(1LL * problem.n * problem.result_bytes()));
    list.add(problem.result_bytes());
}

void add_config(feature_list& list, wgmma::config const& config) {
    list.add(config.m);
    list.add(config.n);
    list.add(config.stages);
    list.add(config.cluster_m);
    list.add(config.cluster_n);
    list.add(config.splits);
    list.add(config.blocks);
    list.add(logarithm(1.0 * config.m * config.n));
    list.add(logarithm(1.0 * config.m / config.n));
}

} // namespace

std::span<std::string_view const, feature_count> feature_names() { return names; }

features features_of(problem const& problem, wgmma::config const& config, estimate const& expected,
                     arch arch) {
    chip const& chip = chip_of(arch.is_host ? sm_90a : arch);
    sizes const sizes = {problem.m, problem.n, problem.k, problem.batch};
    feature_list list;
    add_problem(list, problem, expected, chip);
    add_config(list, config);

    double const rows = config.rows(sizes), columns = config.columns(sizes);
    double const m_used = problem.m / (rows * config.m * config.cluster_m);
    double const n_used = problem.n / (columns * config.n * config.cluster_n);
    double const steps = divup(problem.k, tile_k), depth = config.depth(problem.k);
    double const k_used = problem.k / (depth * config.splits * tile_k);
    list.add(m_used);
    list.add(n_used);
    list.add(k_used);
    list.add(m_used * n_used * k_used);
    list.add(used(2.0 * problem.k, line_bytes));

    double const waves = expected.waves;
    double const clusters = waves * concurrent_clusters(config, arch); // of the launch
    double const running = std::min(1.0, waves) * concurrent_clusters(config, arch);
    // The bytes that a block loads for a step, after what it gets from its neighbours.
    double const loaded =
        2.0 * tile_k * (1.0 * config.m / config.cluster_n + 1.0 * config.n / config.cluster_m);
    list.add(logarithm(waves));
    list.add(waves);
    list.add(waves / std::ceil(waves - 1e-9)); // a whole number of waves stays what it is
    list.add(running * config.cluster() / (chip.sm_count * config.blocks));
    list.add(logarithm(rows));
    list.add(logarithm(columns));
    list.add(logarithm(steps));
    list.add(logarithm(depth * std::ceil(waves - 1e-9)));
    list.add(logarithm(1.0 * config.blocks * config.stages * config.stage_bytes()));
    list.add(logarithm(running * config.cluster() * loaded));

    list.add(config.splits > 1 ? 1 - 1.0 / config.splits : 0);
    list.add(logarithm(config.result_columns(problem)));
    list.add(config.stores_at_once(problem) ? 1 : 0);

    double const parts = expected.traffic + expected.arithmetic;
    list.add(logarithm(expected.microseconds / chip.launch_microseconds));
    list.add(logarithm(expected.arithmetic / expected.traffic));
    list.add(expected.traffic / parts);
    list.add(expected.arithmetic / parts);
    list.add(logarithm(loaded / (1.0 * config.m * config.n)));
    list.add(logarithm(clusters * config.cluster() * depth * loaded / expected.bytes));
    list.add(logarithm(1.0 * config.m * config.n * config.blocks / config.splits));
    return list.values;
}

} // namespace spio::matmul
