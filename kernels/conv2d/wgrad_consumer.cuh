// What wgrad_cp_async and wgrad_tma share: a block's part of the sums, and the sums of a warp.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter from the input x and dy, the gradient of the output. A
// span is some neighbouring rows of dy; a step of it takes one row of x. axis<D>(n) is the
// dimension D with n values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a
// pointer with axes, outermost first. A subscript is a position along some of its axes, and returns
// a cursor: a place in the tensor, with an address. Problem (the sizes and options of a call) and
// Config (how blocks and warps share it) are known when a kernel is compiled. A compound index is
// one number for several indices, the last of which varies fastest. A split is a share of the rows
// of all images. A slice is the channels of some groups, which a block takes. The workspace is the
// array in global memory where blocks leave partial sums. A PAIR is two taps, whose gradients one
// mma computes. A strip is some neighbouring columns. A stage is one place of a ring in shared
// memory. cast<D>(x) is the same number in the dimension D. has_static_layer() says whether the
// channels and the padding are known when a kernel is compiled.
#pragma once

#include "conv2d/tensors.h"
#include "conv2d/wgrad_accumulators.cuh"
#include "conv2d/wgrad_gradient.cuh"
#include "conv2d/wgrad_steps.cuh"

namespace spio::conv2d::wgrad {

// A stage of the ring in shared memory: a row, or a whole image, of x and of dy.
struct STAGE : dim {
    using dim::dim;
};

// What a block sums: a slice of Config.groups groups, over a split of the rows of all images.
template <problem Problem, auto Config> struct block_part {
    using Groups = fold<C, 8 * Config.groups>;

    launch_sizes sizes;
    int slices;
    int splits;
    Groups slice;
    SPLIT split;
    // Whether all splits of a slice are neighbouring blocks, a cluster.
    static constexpr bool is_in_cluster = [] {
        if constexpr (requires { Config.cluster; }) return Config.adds_in_cluster();
        return false;
    }();

    template <class Params>
    __device__ explicit block_part(Params const& params)
        : sizes(sizes_of<Problem>(params.sizes)),
          slices(divup(sizes.groups, Config.groups)),
          splits(Problem.has_static_layer() ? Config.splits : blocks_of_grid() / slices),
          slice(is_in_cluster ? this_block() / splits : this_block() % slices),
          split(is_in_cluster ? this_block() % splits : this_block() / slices) {}

    // x or dy in global memory, of h rows and w columns.
    template <class Images, class Row, class Column, class Channel>
    __device__ Images images_of(void const* elements, int h, int w) const {
        auto const* const cells = static_cast<cell<Problem> const*>(elements);
        if constexpr (Problem.has_static_n()) {
            return Images(cells);
        } else if constexpr (Problem.has_static_image()) {
            return Images(cells, N(sizes.n));
        } else if constexpr (Problem.has_static_layer()) {
            return Images(cells, N(sizes.n), Row(h), Column(w));
        } else {
            return Images(cells, N(sizes.n), Row(h), Column(w),
                          Channel(group_width * sizes.groups));
        }
    }
    __device__ auto x_images(void const* x) const {
        return images_of<typename tensors<Problem>::input, H, W, C>(x, sizes.h, sizes.w);
    }
    __device__ auto dy_images(void const* dy) const {
        return images_of<typename tensors<Problem>::residual, P, Q, K>(dy, sizes.p, sizes.q);
    }
};

// A warp, which sums the gradient of every tap of one group's filter over all steps of its block,
// or of the taps of a part; the warps of the second part come after those of the first.
// With KeepsRow, the previous row of x stays in shared memory. XTiles and DyTiles are all stages of
// the ring, of x and of dy.
template <problem Problem, auto Config, bool KeepsRow, class XTiles, class DyTiles, int Part = 0,
          int Parts = 1>
struct warp_taps {
    using Columns = compound_index<axis<N>(Config.images), axis<Q>(Config.columns)>;
    using accumulators =
        tap_accumulators<Problem, Columns, Config.mma_tiles(), KeepsRow, Part, Parts>;
    using mask_type = column_mask<Columns, Config.mma_tiles()>;
    using part = block_part<Problem, Config>;
    static constexpr axis<K> k = static_or_dynamic<K>(
        Problem.has_static_layer(), 8 * Config.groups * wgrad::slices(Problem, Config.groups));
    static constexpr axis<PAIR> pair{accumulators::count};
    static constexpr axis<LANE> lane{32};
    using workspace = tensor<vec<float, 4>, axis<SPLIT>(max(Config.splits, 1)), k / 8, pair, lane>;
    __device__ static workspace workspace_of(vec<float, 4>* partial_sums, part const& block) {
        if constexpr (Problem.has_static_layer()) {
            return workspace(partial_sums);
        } else {
            return workspace(partial_sums, K(8 * Config.groups * block.slices));
        }
    }

    // The group of this warp, and where a lane reads the first row: columns of x, columns of x
    // under the last tap, and columns of dy.
    __device__ static fold<C, 8> group() {
        return fold<C, 8>(this_warp().get() - Part * Config.groups);
    }
    __device__ static auto x_of_lane(XTiles const& x) {
        Columns const column = accumulators::column_of_x();
        return x[group()][column.template get<N>()][accumulators::column_under(
            column.template get<Q>(), accumulators::exchanged_tap_of_x())];
    }
    __device__ static auto last_of_lane(XTiles const& x) {
        Columns const column = accumulators::column_of_last_tap();
        return x[group()][column.template get<N>()]
                [accumulators::column_under(column.template get<Q>(), S(Problem.s - 1))];
    }
    __device__ static auto dy_of_lane(DyTiles const& dy) {
        return dy[cast<K>(group())][accumulators::column_of_dy()];
    }

    decltype(x_of_lane(XTiles())) x;
    decltype(last_of_lane(XTiles())) last;
    decltype(dy_of_lane(DyTiles())) dy;
    steps<Problem> schedule;
    mask_type mask;
    accumulators sums = {};

    __device__ __forceinline__ warp_taps(XTiles const& x_tiles, DyTiles const& dy_tiles,
                                         launch_sizes const& sizes)
        : x(x_of_lane(x_tiles)),
          last(last_of_lane(x_tiles)),
          dy(dy_of_lane(dy_tiles)),
          schedule(sizes),
          mask(sizes.q) {}

    // To be called before each span. It masks the columns of a strip that ends beyond the last
    // column of dy.
    __device__ __forceinline__ void begin_span(launch_sizes const& sizes) {
        if (sizes.q > Config.columns) mask = mask_type(sizes.q - schedule.current.column.get());
    }
    // Adds the products of a step, whose rows are in `stage`.
    __device__ __forceinline__ void add(row_step const& step, STAGE stage) {
        if (step.begins_row()) sums.step();
        if (step.has_dy()) sums.load_dy(dy[stage]);
        if (step.has_x) {
            sums.add_row(x[stage], last[stage], mask, step);
        } else {
            sums.add_no_row(step);
        }
    }
    // Stores the sums: to the workspace, or if they are of all rows, to the gradients.
    template <class Params>
    __device__ __forceinline__ void store(Params const& p, part const& block) const {
        if constexpr (has_one_split(Problem, Config.splits)) {
            auto const channel_group =
                fold<K, 8>(block.slice.get() * Config.groups + group().get());
            if (channel_group >= fold<K, 8>(Problem.groups())) return;
            sums.each_sum([&](int pair, vec<float, 4> const& sum) {
                store_gradient<Problem>(p, channel_group, pair, this_lane(), sum);
            });
        } else {
            auto const partial_sums = workspace_of(p.workspace, block)[block.split];
            auto const group_sums =
                partial_sums[cast<K>(block.slice)][cast<K>(group())][this_lane()];
            sums.each_sum(
                [&](int pair, vec<float, 4> const& sum) { *group_sums[PAIR(pair)] = sum; });
        }
    }
};

} // namespace spio::conv2d::wgrad
