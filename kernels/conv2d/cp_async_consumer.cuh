// A warp of fprop or dgrad by cp.async: accumulators, from input fragments to staging memory.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. An mma tile is 16 columns of the
// output; a tap is an element of the filter's window. `live` is the number of output rows that read
// the same input row, and `advance` the number of input rows from an output row to the next. A
// cursor is a place in a tensor; a subscript moves it. Problem (the sizes and options of a call)
// and Config (how blocks and warps share it) are known when a kernel is compiled.
#pragma once

#include "conv2d/cp_async_tiles.cuh"
#include "spio/tile/half.cuh"

namespace spio::conv2d::cp_async {

// A warp's accumulators of the output rows that read one input row. The input row that is added
// last finishes the first of these output rows.
template <problem Problem, config Config> struct consumer {
    using tiles = block_tiles<Problem, Config>;
    static constexpr int r = Problem.r;
    static constexpr int live = tiles::live;
    static constexpr int advance = tiles::advance;

    accumulator sums[live][Config.mma_tiles] = {};

    // Multiplies the input fragment of an mma tile (16 columns) with taps of the filter's rows, and
    // adds the products to the accumulators of all output rows that read it. The input row is the
    // first under the newest output row, or `offset` rows after it.
    struct add_products {
        accumulator (&sums)[live][Config.mma_tiles];
        int mma_tile;
        int offset;
        template <class Columns, class Taps>
        __device__ __forceinline__ void operator()(Columns const& columns, Taps const& taps) const {
#pragma unroll
            for (int n = 0; n < live; ++n) {
                int const row = advance * (live - 1 - n) + offset;
                if (row < r) multiply(sums[n][mma_tile], columns, taps(R(row)));
            }
        }
    };
    // Adds the products of an input row, at which `input` is this lane's cursor.
    template <class Cursor>
    __device__ __forceinline__ void add_row(Cursor const& input,
                                            filter_fragments<Problem> const& filter, int offset) {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles; ++mma_tile) {
            // A piece is 8 columns of a strip, which may span several images. ring_column() is the
            // input column that the first tap of an output column reads.
            int const first_piece = 2 * mma_tile;
            auto const pixels = input[tiles::image_of(first_piece)]
                                     [tiles::ring_column(tiles::column_of(first_piece))];
            // Loads the input fragment under each tap of a filter row, and passes it on.
            filter.for_each_step(pixels, add_products{sums, mma_tile, offset});
        }
    }
    // Begins a new output row with the bias: drops sums[0], whose output row is finished, and moves
    // the other rows up by one.
    __device__ __forceinline__ void shift(vec<float, 2> const& bias) {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles; ++mma_tile) {
#pragma unroll
            for (int n = 0; n < live - 1; ++n) sums[n][mma_tile] = sums[n + 1][mma_tile];
            for (auto& two : sums[live - 1][mma_tile].registers) two = bias;
        }
    }
    // Writes the output row that input row `row` finishes to the staging memory. An epilogue
    // changes a lane's two sums first; it gets their image and column. Then they are rounded.
    template <class Cursor, class Epilogue, class Round>
    __device__ __forceinline__ void stage_first_row(int row, Cursor const& staging,
                                                    Epilogue const& epilogue,
                                                    Round const& round) const {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles; ++mma_tile) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                auto two = sums[0][mma_tile].registers[half];
                int const piece = 2 * mma_tile + half;
                epilogue(row, two, tiles::image_of(piece), tiles::column_of(piece));
                *staging[tiles::image_of(piece)][tiles::column_of(piece)] = round(two[0], two[1]);
            }
        }
    }
};

} // namespace spio::conv2d::cp_async
