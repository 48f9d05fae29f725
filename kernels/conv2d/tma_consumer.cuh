// A warp of fprop or dgrad by TMA: it correlates the tiles of a block with the filter of its group.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. A tile is some rows and columns of
// the output, an mma tile 16 columns of a row, a tap an element of the filter's window. `live`
// output rows read the same input row. A cursor is a place in a tensor; a subscript moves it.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled.
#pragma once

#include "conv2d/tma_tiles.cuh"
#include "spio/tile/half.cuh"

namespace spio::conv2d::tma {

// Adds the products of one input row to the output rows that read it. Output row p uses the
// accumulators p % live, which are free again once output row p - live is finished. Inlined at any
// size, so that accumulators and filter stay in registers.
template <problem Problem, config Config> struct add_products {
    static constexpr int r = Problem.r;
    static constexpr int live = Config.live_rows(Problem);
    static constexpr int stride = correlation_of(Problem).stride_h;
    using accumulators = accumulator[live][Config.mma_tiles()];

    accumulators& sums;
    int row;
    int mma_tile;

    template <class Columns, class Taps>
    __device__ __forceinline__ void operator()(Columns const& columns, Taps const& taps) const {
#pragma unroll
        for (int n = 0; n < r; ++n) {
            int const distance = row - Problem.dilation_h * n;
            int const output_row = distance / stride;
            if (distance >= 0 && distance % stride == 0 && output_row < Config.rows) {
                multiply(sums[output_row % live][mma_tile], columns, taps(R(n)));
            }
        }
    }
};

// A warp with the filter and the bias of its group, and this lane's cursors at the input and at the
// output of the block's first tile.
template <problem Problem, config Config, arch Arch, class Input, class Output> struct consumer {
    using tiles = block_tiles<Problem, Config, Arch>;
    using Pixels = typename tiles::Pixels;
    using adder = add_products<Problem, Config>;
    using accumulators = typename adder::accumulators;
    static constexpr int live = adder::live;
    static constexpr int stride = adder::stride;
    static constexpr int rows = Config.rows;

    bool has_group;
    vec<float, 2> bias;
    Input input;
    Output output;
    filter_from_shared<Problem> filter;

    __device__ __forceinline__ void operator()(TILE tile) const {
        correlate(input[tile], output[tile]);
    }
    // Computes all output rows of a tile for the warp's group, taking the input row by row.
    template <class TileInput, class TileOutput>
    __device__ __forceinline__ void correlate(TileInput const& tile_input,
                                              TileOutput const& tile_output) const {
        accumulators sums;
#pragma unroll
        for (int row = 0; row < tiles::input_rows; ++row) {
            if (row % stride == 0 && row / stride < rows) {
#pragma unroll
                for (int mma_tile = 0; mma_tile < Config.mma_tiles(); ++mma_tile) {
                    for (auto& two : sums[row / stride % live][mma_tile].registers) two = bias;
                }
            }
            if (tiles::may_be_in_image(row)) add_row(sums, row, tile_input);
            int const distance = row - (Problem.extent_h() - 1);
            if (int const finished = distance / stride; distance >= 0 && distance % stride == 0) {
                sync_warp(); // all lanes have read the input that this overwrites
#pragma unroll
                for (int mma_tile = 0; mma_tile < Config.mma_tiles(); ++mma_tile) {
                    sums[finished % live][mma_tile]
                        .template rounded<element<Problem>>()
                        .template store<Arch>(tile_output[P(finished)][Pixels(16 * mma_tile)]);
                }
            }
        }
    }
    template <class TileInput>
    __device__ __forceinline__ void add_row(accumulators& sums, int row,
                                            TileInput const& tile_input) const {
#pragma unroll
        for (int mma_tile = 0; mma_tile < Config.mma_tiles(); ++mma_tile) {
            Pixels const first(16 * mma_tile);
            filter.for_each_step(tile_input[first.template get<N>()][tiles::tile_column(
                                     first.template get<Q>())][H(row - tiles::first_row)],
                                 adder{sums, row, mma_tile});
        }
    }
};

} // namespace spio::conv2d::tma
