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

    accumulator sums[r][Config.tiles] = {};

    // The accumulators of the tile under an input fragment.
    struct add_products {
        accumulator (&sums)[r][Config.tiles];
        int tile;
        template <class Columns, class Taps>
        __device__ __forceinline__ void operator()(Columns const& columns, Taps const& taps) const {
#pragma unroll
            for (int n = 0; n < r; ++n) multiply(sums[n][tile], columns, taps(R(r - 1 - n)));
        }
    };
    template <class Cursor>
    __device__ __forceinline__ void add_row(Cursor const& input,
                                            filter_fragments<Problem> const& filter) {
#pragma unroll
        for (int tile = 0; tile < Config.tiles; ++tile) {
            auto const pixels =
                input[tiles::image_of(2 * tile)][cast<W>(tiles::column_of(2 * tile))];
            filter.for_each_step(pixels, add_products{sums, tile});
        }
    }
    // The next input row: each output row moves up, and a new one begins with the bias.
    __device__ __forceinline__ void shift(vec<float, 2> const& bias) {
#pragma unroll
        for (int tile = 0; tile < Config.tiles; ++tile) {
#pragma unroll
            for (int n = 0; n < r - 1; ++n) sums[n][tile] = sums[n + 1][tile];
            for (auto& two : sums[r - 1][tile].registers) two = bias;
        }
    }
    template <class Cursor>
    __device__ __forceinline__ void stage_first_row(Cursor const& staging) const {
#pragma unroll
        for (int tile = 0; tile < Config.tiles; ++tile) {
#pragma unroll
            for (int piece = 0; piece < 2; ++piece) {
                auto const& two = sums[0][tile].registers[piece];
                int const columns = 2 * tile + piece;
                *staging[tiles::image_of(columns)][tiles::column_of(columns)] =
                    half2(two[0], two[1]);
            }
        }
    }
};

} // namespace spio::conv2d::cp_async
