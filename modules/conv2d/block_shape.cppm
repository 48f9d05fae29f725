// Describes the blocks of a configuration of any body in common terms, for the features of models.
// SPDX-License-Identifier: Apache-2.0
//
// A body is one of four kernel templates, a configuration how its blocks share a problem. The halo
// of a tile is the input beyond its borders that its outputs need. wgrad is the gradient of the
// filter; its splits are shares of its sums, and a cluster of blocks may add them.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <numeric>

module spio.conv2d:block_shape;

import :estimator;
import spio.spec;

namespace spio::conv2d {

// A configuration of any body in the terms that features have in common.
struct block_shape_of_body {
    bool is_tma = false;
    int groups = 0, images = 0, columns = 0, rows = 0, mma_tiles = 0;
    int tiles_per_block = 1, stages = 0, blocks = 0, splits = 1, cluster = 1, parts = 1;
    int boxes = 0; // of an image of a tile, by TMA
    bool is_unrolled = false, prefetches = false;
    bool copies_rows = false; // of tiles or images, instead of boxes
    int threads = 0, registers = 0, shared_bytes = 0;
    double input_rows = 1, input_columns = 1;     // of a tile, halo included
    double steps = 1;                             // of a block: rows of a tile, or of a split
    double bytes_in_flight = 0, bytes_loaded = 0; // of a block
    double workspace_bytes = 0;
};

// What a configuration of each body means in the common terms.
inline block_shape_of_body shape_of(problem const& problem, tma::config const& config,
                                    chip const&) {
    int const input_rows = config.input_rows(problem);
    auto const boxes = config.boxes(problem);
    double const cells =
        1.0 * config.tiles_per_block * config.images * config.groups * input_rows * boxes.columns;
    return {.is_tma = true,
            .groups = config.groups,
            .images = config.images,
            .columns = config.columns,
            .rows = config.rows,
            .mma_tiles = config.mma_tiles(),
            .tiles_per_block = config.tiles_per_block,
            .stages = config.tiles_per_block,
            .blocks = config.blocks,
            .boxes = boxes.count,
            .prefetches = config.prefetches(problem),
            .copies_rows = config.whole_rows,
            .threads = config.threads(problem),
            .registers = config.registers(problem),
            .shared_bytes = config.shared_bytes(problem, boxes),
            .input_rows = static_cast<double>(input_rows),
            .input_columns = static_cast<double>(boxes.columns),
            .steps = 1.0 * config.tiles_per_block * input_rows,
            .bytes_in_flight = 16 * cells,
            .bytes_loaded = 16 * cells};
}
inline block_shape_of_body shape_of(problem const& problem, cp_async::config const& config,
                                    chip const& chip) {
    auto const rows = rows_of(correlation_of(problem));
    double const columns = config.input_columns(problem);
    double const rows_read = rows.walk_count(config.rows); // one after the other, by a block
    return {.groups = config.groups,
            .images = config.images,
            .columns = config.columns,
            .rows = config.rows,
            .mma_tiles = config.mma_tiles,
            .stages = config.stages,
            .blocks = config.blocks,
            .is_unrolled = config.unrolled,
            .threads = config.threads(problem),
            .registers =
                std::min(config.registers(problem),
                         chip.sm_registers / std::max(1, config.blocks * config.threads(problem))),
            .shared_bytes = config.shared_bytes(problem),
            .input_rows = rows_read,
            .input_columns = columns,
            .steps = rows_read,
            .bytes_in_flight = 16.0 * (config.stages - 1) * config.images * columns * config.groups,
            .bytes_loaded = 16.0 * rows_read * config.images * columns * config.groups};
}
template <class Config>
block_shape_of_body gradient_shape(problem const& problem, Config const& config) {
    double const columns = config.input_columns(problem);
    long long const strips = strip_count(problem, config.images, config.columns);
    double const rows_of_splits = 1.0 * strips * problem.p();
    double const row_bytes = 16.0 * config.images * (columns + config.columns) * config.groups;
    // Rows of x that two splits load, where they meet inside an image, for each split.
    bool has_cuts = config.splits > 0;
    if constexpr (requires { config.whole_images; }) has_cuts = has_cuts && !config.whole_images;
    double const cuts = has_cuts ? 1 - 1.0 * std::gcd(strips, config.splits) / config.splits : 0;
    double const halo_rows = cuts * std::max(0, problem.extent_h() - problem.stride_h);
    return {.groups = config.groups,
            .images = config.images,
            .columns = config.columns,
            .mma_tiles = config.mma_tiles(),
            .stages = config.stages,
            .splits = config.splits,
            .threads = config.threads(problem),
            .shared_bytes = config.shared_bytes(problem),
            .input_columns = columns,
            .steps = rows_of_splits / config.splits + halo_rows,
            .bytes_in_flight = (config.stages - 1) * row_bytes,
            .bytes_loaded = rows_of_splits / config.splits * row_bytes +
                            16.0 * halo_rows * config.images * columns * config.groups,
            .workspace_bytes = partial_sum_bytes(problem, config)};
}
inline block_shape_of_body shape_of(problem const& problem, wgrad_cp_async::config const& config,
                                    chip const&) {
    auto shape = gradient_shape(problem, config);
    shape.blocks = std::max(1, config.blocks);
    shape.registers = config.blocks > 1 ? 128 : 255; // assumed, in the models' training too
    return shape;
}
inline block_shape_of_body shape_of(problem const& problem, wgrad_tma::config const& config,
                                    chip const&) {
    auto shape = gradient_shape(problem, config);
    shape.is_tma = true;
    shape.blocks = 1;
    shape.registers = 168; // assumed, in the models' training too
    shape.cluster = config.cluster;
    shape.parts = config.parts;
    shape.is_unrolled = config.whole_images;
    shape.copies_rows = config.copies_rows(problem);
    if (config.whole_images) {
        shape.rows = problem.p();
        shape.input_rows = config.input_rows(problem);
        shape.bytes_in_flight *= shape.input_rows;
    }
    return shape;
}

} // namespace spio::conv2d
