// fprop and dgrad by TMA: how blocks share a problem, for chips from sm_90 on.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. Both correlate an input with a
// filter, in groups of 8 channels. A problem is the sizes and options of a call; a tensor map is
// the descriptor by which TMA copies boxes of a tensor. A cell is 16 bytes: 8 channels of a pixel.
// A tap is an element of the filter's window. A halo is what taps read beside a tile.
// has_static_image() says whether the height and width, has_static_layer() whether the channels and
// the padding are known when a kernel is compiled.
#pragma once

#include "conv2d/halo.h"
#include "conv2d/resources.h"
#include "conv2d/tile_plan.h"

namespace spio::conv2d::tma {

// A tile is some rows and columns of the output of an image, or of several images. A block computes
// some tiles, one after the other, for the channels of some groups; each of its warps has a group.
// One thread asks TMA for the input of all these tiles at the start. The output of a tile
// overwrites its input in shared memory before TMA stores it. Many small blocks, numbered in the
// order of their output in memory, are fastest: those that run at the same time then read and write
// neighbouring addresses.
struct config {
    int groups;  // 1, 2, 4, 8, or an odd number
    int images;  // per tile
    int columns; // of the output of each image: 8, so that 16 columns are of two images, or a
                 // multiple of 16
    int rows;    // of the output per tile
    int tiles_per_block;
    int blocks;              // that should be resident on an SM at a time
    bool whole_rows = false; // each row of a tile is copied as one piece of memory, not by boxes

    // Whether a tile has all rows of its images, so that only rows inside the image are loaded.
    // This takes two things, because the output overwrites the input. Output row p may overwrite
    // only input rows that have been read (0 <= pad_h < extent_h), and the output must not be
    // larger than the input.
    constexpr bool has_all_rows(problem const& problem) const {
        correlation const sizes = correlation_of(problem);
        return problem.has_static_image() && !has_gaps(problem) && sizes.p <= rows &&
               sizes.rows.pad >= 0 && sizes.rows.pad < problem.extent_h() &&
               (checked_size(rows) * columns).value <=
                   (checked_size(sizes.h) * input_columns(problem)).value;
    }
    // Whether a tile can be copied row by row, because the columns of a row with all channels are
    // one piece of memory. Two groups are copied too, although their cells then lie in half of the
    // banks.
    constexpr bool can_copy_rows(problem const& problem) const {
        bool const is_single = images == 1 && !has_gaps(problem) && !problem.has_second_tensor();
        return problem.has_static_image() && groups == problem.groups() && is_single &&
               has_slow_boxes(groups);
    }
    constexpr int input_rows(problem const& problem) const {
        correlation const sizes = correlation_of(problem);
        return has_all_rows(problem) ? sizes.h : rows_of(sizes).input_count(rows);
    }
    constexpr int input_columns(problem const& problem) const {
        return columns_of(correlation_of(problem)).input_count(columns);
    }
    // Whether there are zeros between the inputs: in dgrad of stride 2. Outputs of even and of odd
    // rows and columns then read inputs under other taps. The output is larger than the input, and
    // has shared memory of its own.
    static constexpr bool has_gaps(problem const& problem) {
        correlation const sizes = correlation_of(problem);
        return sizes.spacing_h > 1 || sizes.spacing_w > 1;
    }
    // Mma tiles per row: 16 columns each, the rows of one matrix product.
    constexpr int mma_tiles() const { return (checked_size(images) * columns / 16).as_int(); }
    constexpr int threads(problem const&) const { return (checked_size(groups) * 32).as_int(); }

    // Whether the last of an odd number of columns of taps is multiplied in pairs of rows, as
    // last_column.cuh does: 84 products of depth 16 and 28 of depth 8 replace 196 of depth 8 in a
    // tile of 28 rows with 7 x 7 taps. With two mma tiles a thread has too few registers for it.
    // Filters of 25 taps gain nothing.
    constexpr bool has_pairs_of_rows(problem const& problem) const {
        return problem.taps() > medium_taps && problem.r % 2 == 1 && problem.s % 2 == 1 &&
               problem.is_dense() && mma_tiles() == 1 && !problem.has_tensor_like_output();
    }

    // The input rows of a TMA box. With more than 9 taps and 12 rows, the input of an image of a
    // tile comes in several boxes, so that its first rows are multiplied while the others come. A
    // box begins at an address where the pattern of the swizzle restarts: every 8 pixels. It has
    // the fewest rows, at least 4, that add no rows to the tile, or one in 16.
    constexpr int box_rows(problem const& problem) const {
        return box_rows(problem, input_rows(problem), input_columns(problem));
    }
    constexpr int box_rows(problem const& problem, int needed, int columns) const {
        if (problem.taps() <= few_taps || needed <= 12) return needed;
        bool const has_dense_rows =
            correlation_of(problem).rows.stride == 1 && problem.dilation_h == 1;
        if (!has_dense_rows || has_gaps(problem) || problem.has_derivative()) return needed;
        int const most_spare = has_all_rows(problem) ? needed : needed / 16;
        int best = needed;
        for (int count = 4; count <= 12; ++count) {
            int const spare = divup(needed, count) * count - needed;
            bool const is_shorter = best == needed || spare < divup(needed, best) * best - needed;
            if (count * columns % 8 == 0 && spare <= most_spare && is_shorter) best = count;
        }
        return best;
    }
    // The boxes of an image of a tile: how many there are, and their rows and columns.
    struct boxes_of_tile {
        int count, rows, columns;
    };
    constexpr boxes_of_tile boxes(problem const& problem) const {
        int const needed = input_rows(problem), columns = input_columns(problem);
        int const rows = box_rows(problem, needed, columns);
        // A configuration that does not fit may need no row.
        return {divup(needed, max(rows, 1)), rows, columns};
    }
    constexpr int boxes_of_image(problem const& problem) const { return boxes(problem).count; }
    // Rows of shared memory for the input of an image of a tile: those of all its boxes.
    constexpr int stored_rows(problem const& problem) const {
        auto const [count, rows, columns] = boxes(problem);
        return count * rows;
    }
    // Cells of 16 bytes of shared memory for the input of an image of a tile.
    constexpr int pitch_of_boxes(problem const& problem) const { return pitch(boxes(problem)); }
    constexpr int pitch(boxes_of_tile const& boxes) const {
        auto const cells = checked_size(boxes.count * boxes.rows) * boxes.columns * groups;
        return (divup(cells, 64) * 64).as_int();
    }
    // The output rows of a TMA box. With 10 to 25 taps and more than 8 rows, the output of a tile
    // leaves in several boxes, so that its first rows are stored while others are computed; with
    // more taps, nothing is gained. A box has 4 to 8 rows. Boxes divide the rows of a tile, so that
    // none reaches into the next one.
    constexpr int output_box_rows(problem const& problem) const {
        bool const is_medium = problem.taps() > few_taps && problem.taps() <= medium_taps;
        constexpr int least = 4, most = 8;
        bool const is_one_box =
            rows <= most || has_gaps(problem) || problem.has_tensor_like_output();
        if (!is_medium || is_one_box) return rows;
        for (int count = most; count >= least; --count) {
            if (rows % count == 0) return count;
        }
        return rows;
    }
    // Besides its input, a tile may have a second tensor: in fprop of the size of its output, for
    // the residual and then for the preactivation, in dgrad of the size of its input, for the
    // preactivation.
    constexpr int pitch_of_second(problem const& problem) const {
        return pitch_of_second(problem, boxes(problem));
    }
    constexpr int pitch_of_second(problem const& problem, boxes_of_tile const& boxes) const {
        if (problem.has_derivative()) return pitch(boxes);
        if (!problem.has_tensor_like_output()) return 0;
        return (divup(checked_size(rows) * columns * groups, 64) * 64).as_int();
    }
    constexpr int pitch_of_output(problem const& problem) const {
        if (!has_gaps(problem)) return pitch_of_boxes(problem);
        return (divup(checked_size(rows) * columns * groups, 64) * 64).as_int();
    }
    constexpr int cells_of_filter(problem const& problem) const {
        return 8 * groups * problem.taps();
    }
    constexpr checked_size cells_of_tiles(problem const& problem,
                                          boxes_of_tile const& boxes) const {
        return checked_size(tiles_per_block) * images *
               (checked_size(pitch(boxes)) + pitch_of_second(problem, boxes) +
                (has_gaps(problem) ? pitch_of_output(problem) : 0));
    }
    constexpr int shared_bytes(problem const& problem) const {
        return shared_bytes(problem, boxes(problem));
    }
    constexpr int shared_bytes(problem const& problem, boxes_of_tile const& boxes) const {
        auto const cells = cells_of_tiles(problem, boxes) + cells_of_filter(problem);
        // A barrier has 8 bytes: one for each box of a tile's images, and one for the filter.
        auto const barriers = checked_size(tiles_per_block) * boxes.count + 1;
        return (cells * 16 + barriers * 8).as_int();
    }
    // An estimate of the registers that ptxas allocates to a thread, a few too many at most: those
    // of the fragments, and 26 for addresses and counters.
    constexpr int registers(problem const& problem) const {
        return allocated_registers(held_registers(problem) + 26);
    }
    // Output rows that read the same input row, or lie between such rows. Each has accumulators.
    static constexpr int live_rows(problem const& problem) {
        return divup(problem.extent_h(), correlation_of(problem).rows.stride);
    }
    constexpr int held_registers(problem const& problem) const {
        return fragment_registers(problem, live_rows(problem), mma_tiles());
    }

    // dgrad with a stride of 2 has gaps between the numbers that it reads. It is computed for known
    // layers without dilation and negative padding; if the gaps are between columns, for filters
    // that are an odd number of columns wide, at least 3.
    static constexpr bool has_pass(problem const& problem) {
        if (problem.pass != direction::dgrad || !has_gaps(problem)) {
            return problem.pass != direction::wgrad;
        }
        correlation const sizes = correlation_of(problem);
        bool const is_undilated = problem.dilation_h == 1 && problem.dilation_w == 1;
        bool const has_pairs = sizes.spacing_w == 1 || (problem.s % 2 == 1 && problem.s > 1);
        return problem.has_static_layer() && is_undilated && has_pairs && sizes.rows.pad >= 0 &&
               sizes.columns.pad >= 0;
    }
    // Whether a kernel of this configuration can compute the problem.
    constexpr bool fits(problem const& problem) const {
        bool const is_positive =
            groups >= 1 && images >= 1 && columns >= 1 && rows >= 1 && tiles_per_block >= 1;
        // The columns of an mma tile are neighbours, or with gaps, every second one.
        correlation const sizes = correlation_of(problem);
        int const pixels = columns / sizes.spacing_w;
        bool const has_tiles = (pixels % 16 == 0 || (pixels == 8 && images % 2 == 0)) &&
                               columns % sizes.spacing_w == 0 && rows % sizes.spacing_h == 0;
        // A TMA box has at most 256 elements a side.
        if (!is_positive || !has_tiles || rows > 256 || columns > 256) return false;
        if (whole_rows && !can_copy_rows(problem)) return false;
        // A thread has at most 255 registers, of which some hold addresses.
        bool const has_registers = mma_tiles() <= 64 && held_registers(problem) <= 208;
        // The number of bytes of a block must fit into an int.
        return has_pass(problem) && is_tile_of_groups(groups) && problem.has_groups(groups) &&
               input_rows(problem) <= 256 && input_columns(problem) <= 256 && has_registers &&
               cells_of_tiles(problem, boxes(problem)).value < 1 << 24 && blocks >= 0;
    }

    // The number of tiles that cover the output, for the channels of one block.
    constexpr long long tile_count(problem const& problem) const {
        correlation const sizes = correlation_of(problem);
        return (divup(checked_size(problem.n), images) * divup(checked_size(sizes.p), rows) *
                divup(checked_size(sizes.q), columns))
            .value;
    }
    // The number of blocks of a launch.
    constexpr long long blocks_of(problem const& problem) const {
        return (divup(checked_size(problem.groups()), groups) *
                divup(checked_size(tile_count(problem)), tiles_per_block))
            .value;
    }
    // Whether all blocks begin while the kernels before them still run. They then bring what they
    // will load into the L2 cache. Of larger grids on an H200, which has 132 SMs, those that did
    // took up to 1.7 times as long.
    static constexpr int most_prefetching_blocks = 224;
    constexpr bool prefetches(problem const& problem) const {
        return blocks_of(problem) <= most_prefetching_blocks;
    }
};

// The tensor maps of a launch that copies boxes, for a problem whose sizes are all known. That of
// the input serves the preactivation in dgrad too, that of the output the residual and the
// preactivation in fprop.
constexpr tensor_map_plan input_plan(problem const& problem, config const& config) {
    correlation const sizes = correlation_of(problem);
    return plan_of({problem.n, sizes.h, sizes.w, problem.c},
                   {.images = 1,
                    .rows = config.box_rows(problem),
                    .columns = config.input_columns(problem),
                    .groups = config.groups},
                   l2_fetch_bytes(problem));
}
constexpr tensor_map_plan output_plan(problem const& problem, config const& config) {
    correlation const sizes = correlation_of(problem);
    return plan_of({problem.n, sizes.p, sizes.q, problem.c},
                   {.images = 1,
                    .rows = config.output_box_rows(problem),
                    .columns = config.columns,
                    .groups = config.groups});
}

// `input` and `output` are the tensor maps of args.input and args.output, which a block that copies
// rows does not read. The maps of the residual and of the preactivation are read only if the
// problem has these.
struct params {
    tensor_map_words input;
    tensor_map_words output;
    tensor_map_words residual = {};
    tensor_map_words preactivation = {};
    correlation_args<element_bits> args;
    float const* scale = nullptr;
};

} // namespace spio::conv2d::tma
