// The tiles of a block in wgrad by cp.async, and the tensors that it reads.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output. N, H, W, C
// are the images, rows, columns and channels of the input, N, P, Q, K those of the output, R and S
// the rows and columns of the filter. axis<D>(n) is the dimension D with n values; fold<D, n>, or
// axis / n, counts it in blocks of n. A tensor is a pointer with axes, outermost first. A subscript
// is a position along some of its axes, and returns a cursor: a place in the tensor, with an
// address. Problem (the sizes and options of a call) and Config (how blocks and warps share it) are
// known when a kernel is compiled. A compound index is one number for several indices, the last of
// which varies fastest. A span is some neighbouring rows of dy. A split is a share of the rows of
// all images. With a dilation of 2, rows are in two phases, each of every second row. A cell is 16
// bytes: 8 channels of a pixel. A stage is one place of a ring in shared memory. push<T>() takes
// room for a tensor T from the block's shared memory, and returns it and the rest. has_static_n()
// says whether the number of images, has_static_image() whether the height and width,
// has_static_layer() whether the channels and the padding are known when a kernel is compiled.
#pragma once

#include "conv2d/wgrad_consumer.cuh"
#include "conv2d/wgrad_cp_async.h"
#include "spio/facts.h"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::wgrad_cp_async {

using namespace wgrad;

// The part of a block: its stages in shared memory, and the whole tensors x and dy.
template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    static constexpr int threads = Config.threads(Problem);
    static constexpr axis<STAGE> stage{Config.stages};
    static constexpr axis<N> n{Config.images};
    static constexpr axis<W> w{Config.input_columns(Problem)};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<C> c{8 * Config.groups};
    static constexpr axis<K> k{8 * Config.groups};
    static constexpr int pitch = Config.pitch();
    using x_tiles = tensor<cell<Problem>, stage, n, w.pitch(pitch), c / 8>;
    using dy_tiles = tensor<cell<Problem>, stage, n, q.pitch(pitch), k / 8>;
    static_assert(Config.shared_bytes(Problem) >= shared_bytes<x_tiles, dy_tiles>);

    using global = tensors<Problem>;
    using x_images = typename global::input;
    using dy_images = typename global::residual;

    // The cells of a row, which threads copy.
    template <index Column, auto Columns, auto Cells>
    using cell_of_row = either<Config.images == 1, compound_index<Columns, Cells>,
                               compound_index<n, Columns, Cells>>;
    using XCell = cell_of_row<W, w, c / 8>;
    using DyCell = cell_of_row<Q, q, k / 8>;

    params const& args;
    block_part<Problem, Config> part;
    x_tiles x;
    dy_tiles dy;

    __device__ explicit block(params const& params) : args(params), part(params) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const xs = memory.template push<x_tiles>();
        x = xs.tensor;
        dy = xs.rest.template push<dy_tiles>().tensor;
    }
    __device__ spans spans_of_block() const {
        return spans(part.sizes, Config.images, Config.columns, part.split, part.splits,
                     rows_of(Problem).phases(), rows_of(Problem).live_outputs());
    }
    __device__ x_images x_of() const { return part.x_images(args.x); }
    __device__ dy_images dy_of() const { return part.dy_images(args.dy); }
};

} // namespace spio::conv2d::wgrad_cp_async
