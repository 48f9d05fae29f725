// wgrad by TMA: how blocks share a problem, for chips from sm_90 on.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output. Channels are
// in groups of 8; a problem is the sizes and options of a call. A tensor map is the descriptor by
// which TMA copies boxes of a tensor; its plan says all but the address. A span is some
// neighbouring rows of dy. A split is a share of the rows of all images. The workspace is the array
// in global memory where blocks leave partial sums. A strip is some neighbouring columns. A cell is
// 16 bytes: 8 channels of a pixel. A stage is one place of a ring in shared memory.
// has_static_image() says whether the height and width, has_static_layer() whether the channels and
// the padding are known when a kernel is compiled. A checked_size is a number that becomes too
// large, and stays so, where an int would overflow.
#pragma once

#include "conv2d/tile_plan.h"
#include "conv2d/wgrad.h"

namespace spio::conv2d::wgrad_tma {

// Each warp computes one group, or a part of its taps. One more warp is the producer: it asks TMA
// for one row of x and one row of dy at a time, several rows ahead of the computation. A row spans
// some images and a strip of their columns. Small images are loaded whole, so that the steps are
// known at compile time, where all rows are taken one after the other.
struct config {
    int groups;  // 2, 4, 8 or 12, or an odd number up to 15
    int images;  // that a row spans
    int columns; // of dy per image: 8, so that 16 columns are of two images, or a multiple of 16
    int stages;  // of the ring in shared memory, those that warps still read included
    int splits;  // of the rows of all images; each split has a partial sum
    bool whole_images; // a step has all rows of its images
    // The blocks of a cluster: 1, or as many as there are splits. A cluster adds its partial sums
    // in shared memory; otherwise they go to the workspace, and a second kernel adds them.
    int cluster = 1;
    int parts = 1; // of the taps of a group, each of which has a warp: 1 or 2

    constexpr int consumer_warps() const { return (checked_size(groups) * parts).as_int(); }

    // Twelve groups are three boxes of four: the swizzle of TMA spans at most eight, and a power of
    // two.
    constexpr int box_groups() const { return groups == 12 ? 4 : groups; }
    constexpr int boxes() const { return groups / box_groups(); }

    // A scheduler of an SM has registers for 168 of each thread of three warps, too few for the
    // sums of a large filter and several mma tiles, or for half of the sums and more tiles. So two
    // warpgroups of eight warps get those of a third, the producer's.
    static constexpr int producer_registers = 24;
    constexpr int consumer_registers() const { return consumer_warps() == 12 ? 160 : 240; }
    constexpr bool moves_registers(problem const& problem) const {
        if (whole_images) return false;
        if (consumer_warps() == 12) return problem.taps() > few_taps;
        return consumer_warps() == 8 && mma_tiles() > parts && problem.taps() > medium_taps;
    }

    // Whether a row of an image is one piece of memory, and loaded as such, because a block has all
    // channels and columns.
    constexpr bool copies_rows(problem const& problem) const {
        bool const has_all =
            groups == problem.groups() && problem.q() <= columns &&
            (checked_size(problem.pad_w) + problem.w).value <= input_columns(problem);
        bool const has_images = images == 1 || (problem.has_static_n() && problem.n % images == 0);
        return problem.has_static_image() && !whole_images && has_slow_boxes(groups) && has_all &&
               has_images;
    }

    static constexpr int most_cluster = 16; // more than 8 must be allowed for each kernel

    constexpr bool adds_in_cluster() const { return cluster > 1; }
    // More than half of the shared memory of an SM: so each block gets an SM of its own, where no
    // second kernel follows whose blocks would come between. Two on one SM took up to 1.3 times as
    // long on an H200.
    static constexpr int least_bytes_of_one_kernel = 116 << 10;
    constexpr bool is_one_kernel(problem const& problem) const {
        return adds_in_cluster() || wgrad::has_one_split(problem, splits);
    }
    // The accumulators of a block, as the inbox of a cluster counts them: each block gets those of
    // one slot after the other, of all splits.
    constexpr int sums_of_block(problem const& problem) const {
        return (checked_size(groups) * wgrad::pairs_of(problem).count()).as_int();
    }
    constexpr int inbox_slots(problem const& problem) const {
        return divup(sums_of_block(problem), cluster);
    }
    // In units of 16 bytes: a lane's part of a sum.
    constexpr int inbox_cells(problem const& problem) const {
        if (!adds_in_cluster()) return 0;
        return (checked_size(inbox_slots(problem)) * cluster * 32).as_int();
    }

    // Columns of x per row of a stage, with those that taps read beside the strip, rounded up to a
    // multiple of 8. The swizzle repeats every 8 columns, so that all rows have the same order of
    // cells.
    constexpr int input_columns(problem const& problem) const {
        return divup(columns_of(problem).position_count(columns), 8) * 8;
    }
    // Rows of x per image and stage.
    constexpr int input_rows(problem const& problem) const {
        return whole_images ? wgrad::needed_rows(problem) : 1;
    }
    // Rows of dy per image and stage.
    constexpr int dy_rows(problem const& problem) const { return whole_images ? problem.p() : 1; }
    // Cells of x per stage, of 16 bytes each: the 8 channels of a group at one pixel.
    constexpr int input_cells(problem const& problem) const {
        return (checked_size(images) * input_rows(problem) * input_columns(problem) * groups)
            .as_int();
    }
    // Cells of dy per stage, of 16 bytes each.
    constexpr int dy_cells(problem const& problem) const {
        return (checked_size(images) * dy_rows(problem) * columns * groups).as_int();
    }
    // Mma tiles per row of dy: 16 columns each, the depth of one matrix product.
    constexpr int mma_tiles() const { return (checked_size(images) * columns / 16).as_int(); }

    constexpr int threads(problem const& problem) const {
        int const others = moves_registers(problem) ? 4 : 1; // the producer, in a warpgroup
        return ((checked_size(consumer_warps()) + others) * 32).as_int();
    }
    // Of the ring, and of the inbox of a cluster.
    constexpr int used_bytes(problem const& problem) const {
        auto const x = divup(checked_size(stages) * input_cells(problem), 64) * 64;
        auto const dy = divup(checked_size(stages) * dy_cells(problem), 64) * 64;
        // In units of 16 bytes: a barrier `full` for each stage, and one more `empty`, of 8 bytes
        // each.
        auto const barriers = divup(checked_size(stages), 2) + divup(checked_size(stages) + 1, 2);
        // A cluster has one more barrier, for its inbox.
        int const inbox = inbox_cells(problem) + (adds_in_cluster() ? 1 : 0);
        return ((x + dy + barriers + inbox) * 16).as_int();
    }
    constexpr int shared_bytes(problem const& problem) const {
        int const bytes = used_bytes(problem);
        return is_one_kernel(problem) ? max(bytes, least_bytes_of_one_kernel) : bytes;
    }
    // Whether a kernel of this configuration can compute the problem. A TMA box has at most 256
    // elements a side.
    constexpr bool fits(problem const& problem) const {
        bool const is_bounded = groups > 0 && images > 0 && columns > 0 && columns <= 256 &&
                                stages > 1 && wgrad::has_splits(problem, splits);
        if (!is_bounded || problem.pass != direction::wgrad) return false;
        bool const has_cluster =
            cluster == splits && cluster <= most_cluster && problem.has_static_layer();
        if (cluster != 1 && !has_cluster) return false;
        bool const is_small =
            problem.q() <= columns && max(input_rows(problem), problem.p()) <= 256;
        bool const has_dense_rows = problem.stride_h == 1 && problem.dilation_h == 1;
        if (whole_images && !(problem.has_static_image() && is_small && has_dense_rows))
            return false;
        if (parts != 1 && (parts != 2 || problem.s < 3)) return false;
        auto const cells =
            checked_size(stages) * (checked_size(input_cells(problem)) + dy_cells(problem));
        // The bytes must fit into an int.
        if (cells.value >= 1 << 24) return false;
        bool const has_tiles = columns % 16 == 0 || (columns == 8 && images % 2 == 0);
        return has_tiles && is_tile_of_groups(box_groups()) && images <= 256 &&
               input_columns(problem) <= 256 && shared_bytes(problem) <= max_shared_bytes;
    }
    constexpr long long blocks_of(problem const& problem) const {
        return wgrad::blocks_of(problem, groups, splits);
    }
    constexpr long long workspace_bytes(problem const& problem) const {
        return is_one_kernel(problem) ? 0 : wgrad::workspace_bytes(problem, groups, splits);
    }
};

// The tensor maps of a launch, for a problem whose sizes are all known.
constexpr tensor_map_plan x_plan(problem const& problem, config const& config) {
    return plan_of({problem.n, problem.h, problem.w, problem.c},
                   {config.images, config.input_rows(problem), config.input_columns(problem),
                    config.box_groups()},
                   l2_fetch_bytes(problem));
}
constexpr tensor_map_plan dy_plan(problem const& problem, config const& config) {
    return plan_of({problem.n, problem.p(), problem.q(), problem.c},
                   {config.images, config.dy_rows(problem), config.columns, config.box_groups()},
                   l2_fetch_bytes(problem));
}

struct params {
    // The tensor maps or, where a block copies rows, the tensors.
    tensor_map_words x;
    tensor_map_words dy;
    void const* x_rows;
    void const* dy_rows;
    vec<float, 4>* workspace;
    wgrad::passed_sizes sizes;
    // The gradients of filter and bias, where no second kernel stores them.
    void* dw = nullptr;
    float* dbias = nullptr;
};

} // namespace spio::conv2d::wgrad_tma
