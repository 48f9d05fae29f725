// A warp of fprop or dgrad by cp.async: accumulators, from input fragments to staging memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/cp_async_tiles.cuh"
#include "spio/tile/half.cuh"

namespace spio::conv2d::cp_async {

// A warp's accumulators of r output rows. The input row that is added last finishes the first of
// these output rows.
template <problem Problem, config Config> struct consumer {
    using tiles = block_tiles<Problem, Config>;
    static constexpr int r = Problem.r;

    accumulator sums[r][Config.mma_tiles] = {};

    // Multiplies the input fragment of an mma tile (16 columns) with taps of the filter's rows, and
    // adds the products to the accumulators of all r output rows: the first of these rows meets the
    // filter's last row.
    struct add_products {
        accumulator (&sums)[r][Config.mma_tiles];
        int mma_tile;
        template <class Columns, class Taps>
        __device__ __forceinline__ void operator()(Columns const& columns, Taps const& taps) const {
#pragma unroll
            for (int n = 0; n < r; ++n) multiply(sums[n][mma_tile], columns, taps(R(r - 1 - n)));
        }
    };
    // Adds the products of an input row, at which `input` is this lane's cursor.
    template <class Cursor>
    __device__ __forceinline__ void add_row(Cursor const& input,
                                            filter_fragments<Problem> const& filter) {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles; ++mma_tile) {
            auto const pixels =
                input[tiles::image_of(2 * mma_tile)][cast<W>(tiles::column_of(2 * mma_tile))];
            filter.for_each_step(pixels, add_products{sums, mma_tile});
        }
    }
    // Goes to the next input row: drops sums[0], whose output row is finished, moves the other rows
    // up by one, and begins a new output row with the bias.
    __device__ __forceinline__ void shift(vec<float, 2> const& bias) {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles; ++mma_tile) {
#pragma unroll
            for (int n = 0; n < r - 1; ++n) sums[n][mma_tile] = sums[n + 1][mma_tile];
            for (auto& two : sums[r - 1][mma_tile].registers) two = bias;
        }
    }
    // Writes the finished output row to the staging memory, as halves.
    template <class Cursor>
    __device__ __forceinline__ void stage_first_row(Cursor const& staging) const {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles; ++mma_tile) {
#pragma unroll
            for (int piece = 0; piece < 2; ++piece) {
                auto const& two = sums[0][mma_tile].registers[piece];
                int const columns = 2 * mma_tile + piece;
                *staging[tiles::image_of(columns)][tiles::column_of(columns)] =
                    pair<typename tiles::T>(two[0], two[1]);
            }
        }
    }
};

} // namespace spio::conv2d::cp_async
