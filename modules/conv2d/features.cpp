// Computes what a learned model knows of a problem and a configuration.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of four kernel templates, a configuration how its blocks share a problem. A feature
// is a number that a learned model gets; the model predicts the time. The halo of a tile is the
// input beyond its borders that its outputs need; a wave is as many blocks as the chip runs at a
// time. A candidate is a configuration that may be chosen; splits are shares of wgrad's sums.
// has_static_image() says whether the height and width are known when a kernel is compiled.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <variant>

module spio.conv2d;

import :block_shape;
import :estimate_parts;
import :estimator;
import :powers;
import spio.spec;

namespace spio::conv2d {

namespace {

// The order is that in which features_of() adds the values.
constexpr std::array<std::string_view, feature_count> names = {
    // The problem: problem_features of them. Sizes are logarithms; a copy and a launch have the
    // times of the chip.
    "log_n", "log_groups", "log_rows", "log_columns", "r", "s", "stride", "dilation", "spacing",
    "is_dgrad", "has_bias", "is_bf16", "has_half_gradient", "knows_image", "log_copy_over_launch",
    "line_share_of_pixel",
    // The configuration.
    "is_tma", "groups", "images", "columns", "rows", "mma_tiles", "tiles_per_block", "stages",
    "blocks", "is_unrolled", "prefetches", "log_splits", "log_cluster", "parts", "boxes",
    "copies_rows",
    // The shares of a block's work that lie inside the output, in each dimension.
    "groups_used", "images_used", "columns_used", "rows_used", "work_used",
    // The input of a tile over what it would be without a halo.
    "halo_rows", "halo_columns", "halo", "line_share_of_tile",
    // How the blocks fill the chip.
    "log_waves", "waves", "last_wave", "threads_used", "registers_used", "shared_bytes_used",
    "warps_of_sm", "log_steps_of_block", "log_bytes_in_flight", "workspace_over_bytes",
    // The estimate and its parts.
    "log_estimate_over_launch", "log_arithmetic_over_traffic", "log_latency_over_traffic",
    "traffic_share", "arithmetic_share", "latency_share", "log_blocks_over_sms", "sms_used",
    "clusters_over_most", "log_products_of_step",
    // What the fullest SM has to do and to load, and one block.
    "log_arithmetic_of_fullest", "log_loads_over_bytes", "log_loads_of_fullest",
    "log_products_of_block"};
static_assert(!names.back().empty());
static_assert(names[copies_rows_feature] == "copies_rows");

constexpr int line_bytes = 128; // of the L2 cache

// The share of tiles of this size that lies inside.
double used(double size, double tile) { return size / (rounded_up(size / tile) * tile); }

// To base 2, with a floor for zero.
double logarithm(double value) { return log2_of(std::max(value, 1e-6)); }

// Features, added one after the other in the order of their names.
struct feature_list {
    float* next;

    void add(double value) { *next++ = static_cast<float>(value); }
};

// Adds the features of a problem alone; `copy_over_launch` is the time of a copy of its bytes over
// that of a launch.
void add_problem(feature_list& list, problem const& problem, correlation const& sizes,
                 double copy_over_launch) {
    list.add(logarithm(problem.n));
    list.add(logarithm(problem.groups()));
    list.add(logarithm(sizes.p));
    list.add(logarithm(sizes.q));
    list.add(problem.r);
    list.add(problem.s);
    list.add(problem.stride_h * problem.stride_w);
    list.add(problem.dilation_h * problem.dilation_w);
    list.add(sizes.spacing_h * sizes.spacing_w);
    list.add(sizes.is_backward);
    list.add(problem.bias);
    list.add(problem.type == element_type::bf16);
    list.add(problem.gradient != precision::fp32);
    list.add(problem.has_static_image());
    list.add(logarithm(copy_over_launch));
    list.add(used(2.0 * problem.c, line_bytes));
}

void add_config(feature_list& list, block_shape_of_body const& shape) {
    list.add(shape.is_tma);
    list.add(shape.groups);
    list.add(shape.images);
    list.add(shape.columns);
    list.add(shape.rows);
    list.add(shape.mma_tiles);
    list.add(shape.tiles_per_block);
    list.add(shape.stages);
    list.add(shape.blocks);
    list.add(shape.is_unrolled);
    list.add(shape.prefetches);
    list.add(shape.splits == 1 ? 0 : logarithm(shape.splits));
    list.add(shape.cluster == 1 ? 0 : logarithm(shape.cluster));
    list.add(shape.parts);
    list.add(shape.boxes);
    list.add(shape.copies_rows);
}

// The shares of tiles that lie inside the output, and the halo of their input.
void add_tile(feature_list& list, problem const& problem, correlation const& sizes,
              block_shape_of_body const& shape) {
    bool const is_gradient = problem.pass == direction::wgrad;
    double const groups_used = used(problem.groups(), shape.groups);
    double const images_used = used(problem.n, shape.images);
    double const columns_used = used(sizes.q, shape.columns);
    double const rows_used = shape.rows > 0 ? used(sizes.p, shape.rows) : 1;
    list.add(groups_used);
    list.add(images_used);
    list.add(columns_used);
    list.add(rows_used);
    list.add(groups_used * images_used * columns_used * rows_used);

    double const halo_rows =
        is_gradient ? 1 : shape.input_rows * sizes.spacing_h / (shape.rows * sizes.rows.stride);
    double const halo_columns =
        shape.input_columns * sizes.spacing_w / (shape.columns * sizes.columns.stride);
    list.add(halo_rows);
    list.add(halo_columns);
    list.add(halo_rows * halo_columns);
    list.add(used(2.0 * group_width * shape.groups, line_bytes));
}

// How the blocks fill the chip.
void add_occupancy(feature_list& list, chip const& chip, block_shape_of_body const& shape,
                   estimate const& expected) {
    double const waves = expected.waves, blocks = expected.blocks_per_sm;
    list.add(logarithm(waves));
    list.add(waves);
    list.add(waves / whole_waves(waves));
    list.add(blocks * shape.threads / chip.sm_threads);
    list.add(blocks * shape.threads * shape.registers / chip.sm_registers);
    list.add(blocks * shape.shared_bytes / chip.shared_bytes);
    list.add(blocks * shape.threads / 32);
    list.add(logarithm(shape.steps));
    list.add(logarithm(blocks * shape.bytes_in_flight / chip.shared_bytes));
    list.add(shape.workspace_bytes / expected.bytes);
}

void add_estimate(feature_list& list, chip const& chip, estimate const& expected) {
    double const parts = expected.traffic + expected.arithmetic + expected.latency;
    list.add(logarithm(expected.microseconds / chip.launch_microseconds));
    list.add(logarithm(expected.arithmetic / expected.traffic));
    list.add(logarithm(expected.latency / expected.traffic));
    list.add(expected.traffic / parts);
    list.add(expected.arithmetic / parts);
    list.add(expected.latency / parts);
}

// The clusters of a launch over those that the chip runs at once; 0 without clusters, or where
// their number is not known.
double clusters_over_most(chip const& chip, int cluster, double blocks) {
    bool const is_known = cluster <= most_portable_cluster || cluster == most_cluster;
    if (cluster == 1 || !is_known) return 0;
    return blocks / cluster / concurrent_clusters(chip, cluster);
}

} // namespace

std::span<std::string_view const, feature_count> feature_names() { return names; }

feature_writer::feature_writer(problem const& problem, double bytes, arch arch)
    : asked(problem), used_chip(chip_of(arch)), sizes(correlation_of(problem)) {
    feature_list list = {problem_values.data()};
    add_problem(list, problem, sizes, bytes / used_chip.copy_bytes / used_chip.launch_microseconds);
}

void feature_writer::write(candidate const& candidate, std::span<float, feature_count> row) const {
    auto const& [config, expected] = candidate;
    auto const shape =
        std::visit([&](auto const& body) { return shape_of(asked, body, used_chip); }, config);
    feature_list list = {std::ranges::copy(problem_values, row.data()).out};
    add_config(list, shape);
    add_tile(list, asked, sizes, shape);
    add_occupancy(list, used_chip, shape, expected);
    add_estimate(list, used_chip, expected);
    // The blocks of the launch, a whole number.
    double const sms = used_chip.sm_count;
    double const blocks = rounded_up(expected.waves * expected.blocks_per_sm * sms - 0.5);
    list.add(logarithm(blocks / sms));
    // The share of the SMs' blocks that there would be if each SM had as many as the fullest one.
    double const sms_used = used(blocks, sms);
    list.add(sms_used);
    list.add(clusters_over_most(used_chip, shape.cluster, blocks));
    double const products = static_cast<double>(asked.taps()) * shape.mma_tiles;
    list.add(logarithm(products));
    double const loads = blocks * shape.bytes_loaded;
    list.add(logarithm(expected.arithmetic / sms_used / expected.microseconds));
    list.add(logarithm(loads / expected.bytes));
    list.add(logarithm(loads / used_chip.copy_bytes / sms_used / expected.microseconds));
    list.add(logarithm(products * shape.steps / expected.microseconds));
}

features features_of(problem const& problem, candidate const& candidate, arch arch) {
    features values;
    feature_writer(problem, candidate.expected.bytes, arch).write(candidate, values);
    return values;
}

} // namespace spio::conv2d
