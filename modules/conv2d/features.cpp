// Computes what a learned model knows of a problem and a configuration.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <variant>

module spio.conv2d;

import spio.spec;

namespace spio::conv2d {

namespace {

// The order is that in which features_of() adds the values.
constexpr std::array<std::string_view, feature_count> names = {
    // The problem. Sizes are logarithms; a copy and a launch have the times of the chip.
    "log_n", "log_groups", "log_rows", "log_columns", "r", "s", "stride", "dilation", "spacing",
    "is_dgrad", "has_bias", "is_bf16", "has_half_gradient", "knows_image", "log_copy_over_launch",
    "line_share_of_pixel",
    // The configuration.
    "is_tma", "groups", "images", "columns", "rows", "mma_tiles", "tiles_per_block", "stages",
    "blocks", "is_unrolled", "log_splits",
    // The shares of a block's work that lie inside the output, in each dimension.
    "groups_used", "images_used", "columns_used", "rows_used", "work_used",
    // The input of a tile over what it would be without a halo.
    "halo_rows", "halo_columns", "halo", "line_share_of_tile",
    // How the blocks fill the chip.
    "log_waves", "waves", "last_wave", "threads_used", "registers_used", "shared_bytes_used",
    "warps_of_sm", "log_steps_of_block", "log_bytes_in_flight", "workspace_over_bytes",
    // The estimate and its parts.
    "log_estimate_over_launch", "log_arithmetic_over_traffic", "log_latency_over_traffic",
    "traffic_share", "arithmetic_share", "latency_share", "log_blocks_over_sms",
    "log_products_of_step"};
static_assert(!names.back().empty());

constexpr int line_bytes = 128; // of the L2 cache

// A configuration of any body in the terms that features have in common.
struct block_shape_of_body {
    bool is_tma = false;
    int groups = 0, images = 0, columns = 0, rows = 0, mma_tiles = 0;
    int tiles_per_block = 1, stages = 0, blocks = 0, splits = 1;
    bool is_unrolled = false;
    int threads = 0, registers = 0, shared_bytes = 0;
    long long block_count = 0;
    double input_rows = 1, input_columns = 1; // of a tile, halo included
    double steps = 1;                         // of a block: rows of a tile, or of a split
    double bytes_in_flight = 0;               // of a block
    double workspace_bytes = 0;
};

block_shape_of_body shape_of(problem const& problem, tma::config const& config) {
    int const input_rows = config.input_rows(problem);
    double const cells = 1.0 * config.tiles_per_block * config.images * config.groups * input_rows *
                         config.input_columns(problem);
    return {.is_tma = true,
            .groups = config.groups,
            .images = config.images,
            .columns = config.columns,
            .rows = config.rows,
            .mma_tiles = config.mma_tiles(),
            .tiles_per_block = config.tiles_per_block,
            .stages = config.tiles_per_block,
            .blocks = config.blocks,
            .threads = config.threads(problem),
            .registers = config.registers(problem),
            .shared_bytes = config.shared_bytes(problem),
            .block_count = config.blocks_of(problem),
            .input_rows = static_cast<double>(input_rows),
            .input_columns = static_cast<double>(config.input_columns(problem)),
            .steps = 1.0 * config.tiles_per_block * input_rows,
            .bytes_in_flight = 16 * cells};
}
block_shape_of_body shape_of(problem const& problem, cp_async::config const& config) {
    auto const rows = rows_of(correlation_of(problem));
    double const columns = config.input_columns(problem);
    double const walk = rows.walk_count(config.rows);
    return {.groups = config.groups,
            .images = config.images,
            .columns = config.columns,
            .rows = config.rows,
            .mma_tiles = config.mma_tiles,
            .stages = config.stages,
            .blocks = config.blocks,
            .is_unrolled = config.unrolled,
            .threads = config.threads(problem),
            .registers = std::min(config.registers(problem),
                                  65536 / std::max(1, config.blocks * config.threads(problem))),
            .shared_bytes = config.shared_bytes(problem),
            .block_count = config.blocks_of(problem),
            .input_rows = walk,
            .input_columns = columns,
            .steps = walk,
            .bytes_in_flight =
                16.0 * (config.stages - 1) * config.images * columns * config.groups};
}
template <class Config>
block_shape_of_body gradient_shape(problem const& problem, Config const& config) {
    double const columns = config.input_columns(problem);
    double const rows_of_splits =
        1.0 * divup(problem.n, config.images) * divup(problem.q(), config.columns) * problem.p();
    return {.groups = config.groups,
            .images = config.images,
            .columns = config.columns,
            .mma_tiles = config.mma_tiles(),
            .stages = config.stages,
            .splits = config.splits,
            .threads = config.threads(problem),
            .shared_bytes = config.shared_bytes(problem),
            .block_count = config.blocks_of(problem),
            .input_columns = columns,
            .steps = rows_of_splits / config.splits,
            .bytes_in_flight = 16.0 * (config.stages - 1) * config.images *
                               (columns + config.columns) * config.groups,
            .workspace_bytes = static_cast<double>(config.workspace_bytes(problem))};
}
block_shape_of_body shape_of(problem const& problem, wgrad_cp_async::config const& config) {
    auto shape = gradient_shape(problem, config);
    shape.blocks = std::max(1, config.blocks);
    shape.registers = config.blocks > 1 ? 128 : 255;
    return shape;
}
block_shape_of_body shape_of(problem const& problem, wgrad_tma::config const& config) {
    auto shape = gradient_shape(problem, config);
    shape.is_tma = true;
    shape.blocks = 1;
    shape.registers = 168;
    shape.is_unrolled = config.whole_images;
    if (config.whole_images) {
        shape.rows = problem.p();
        shape.input_rows = config.input_rows(problem);
        shape.bytes_in_flight *= shape.input_rows;
    }
    return shape;
}

// The share of tiles of this size that lies inside.
double used(double size, double tile) { return size / (std::ceil(size / tile) * tile); }
double logarithm(double value) { return std::log2(std::max(value, 1e-6)); }

} // namespace

std::span<std::string_view const, feature_count> feature_names() { return names; }

features features_of(problem const& problem, candidate const& candidate, arch arch) {
    chip const& chip = chip_of(arch);
    auto const& [config, expected] = candidate;
    correlation const sizes = correlation_of(problem);
    auto const shape =
        std::visit([&](auto const& body) { return shape_of(problem, body); }, config);
    bool const is_gradient = problem.pass == direction::wgrad;
    double const groups = problem.groups(), taps = problem.taps();
    double const copy = expected.bytes / chip.copy_bytes;
    double const tile_bytes = 2.0 * group_width * shape.groups;
    double const groups_used = used(groups, shape.groups);
    double const images_used = used(problem.n, shape.images);
    double const columns_used = used(sizes.q, shape.columns);
    double const rows_used = shape.rows > 0 ? used(sizes.p, shape.rows) : 1;
    double const halo_rows =
        is_gradient ? 1 : shape.input_rows * sizes.spacing_h / (shape.rows * sizes.stride_h);
    double const halo_columns =
        shape.input_columns * sizes.spacing_w / (shape.columns * sizes.stride_w);
    double const waves = expected.waves;
    double const blocks = expected.blocks_per_sm;
    double const parts = expected.traffic + expected.arithmetic + expected.latency;

    features values;
    int count = 0;
    auto const add = [&](double value) { values[count++] = static_cast<float>(value); };
    add(logarithm(problem.n));
    add(logarithm(groups));
    add(logarithm(sizes.p));
    add(logarithm(sizes.q));
    add(problem.r);
    add(problem.s);
    add(problem.stride_h * problem.stride_w);
    add(problem.dilation_h * problem.dilation_w);
    add(sizes.spacing_h * sizes.spacing_w);
    add(sizes.is_backward);
    add(problem.bias);
    add(problem.type == element_type::bf16);
    add(problem.gradient != precision::fp32);
    add(problem.knows_image());
    add(logarithm(copy / chip.launch_microseconds));
    add(used(2.0 * problem.c, line_bytes));

    add(shape.is_tma);
    add(shape.groups);
    add(shape.images);
    add(shape.columns);
    add(shape.rows);
    add(shape.mma_tiles);
    add(shape.tiles_per_block);
    add(shape.stages);
    add(shape.blocks);
    add(shape.is_unrolled);
    add(logarithm(shape.splits));

    add(groups_used);
    add(images_used);
    add(columns_used);
    add(rows_used);
    add(groups_used * images_used * columns_used * rows_used);

    add(halo_rows);
    add(halo_columns);
    add(halo_rows * halo_columns);
    add(used(tile_bytes, line_bytes));

    add(logarithm(waves));
    add(waves);
    add(waves / std::ceil(waves - 1e-9));
    add(blocks * shape.threads / chip.sm_threads);
    add(blocks * shape.threads * shape.registers / chip.sm_registers);
    add(blocks * shape.shared_bytes / chip.shared_bytes);
    add(blocks * shape.threads / 32);
    add(logarithm(shape.steps));
    add(logarithm(blocks * shape.bytes_in_flight / chip.shared_bytes));
    add(shape.workspace_bytes / expected.bytes);

    add(logarithm(expected.microseconds / chip.launch_microseconds));
    add(logarithm(expected.arithmetic / expected.traffic));
    add(logarithm(expected.latency / expected.traffic));
    add(expected.traffic / parts);
    add(expected.arithmetic / parts);
    add(expected.latency / parts);
    add(logarithm(static_cast<double>(shape.block_count) / chip.sm_count));
    add(logarithm(taps * shape.mma_tiles));
    return values;
}

} // namespace spio::conv2d
