// How a warpgroup of the matrix product stores its sums: epilogue, buffers in shared memory, TMA.
// SPDX-License-Identifier: Apache-2.0
//
// The epilogue changes the sums: bias, activation, residual. M and N are rows and columns of the
// result d; a fold counts them in blocks. A line is the 128 bytes of a row that a buffer holds.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled.
#pragma once

#include "matmul/epilogue.cuh"
#include "matmul/wgmma_splits.cuh"

namespace spio::matmul::wgmma {

// Writes 16 rows and columns to a buffer: rounded, by stmatrix, or as floats.
template <arch Arch, class Result, class Cursor, class Part>
__device__ __forceinline__ void write(Cursor const& buffer, Part& sum) {
    if constexpr (factor<Result>) {
        auto const rounded = sum.template rounded<Result>();
        rounded.template store<Arch>(buffer[rounded.row_index()]);
    } else {
        auto const lane = for_lane<typename Part::lane_index>(this_lane());
        int const pair = this_lane().get() % 2; // of a cell
#pragma unroll
        for (auto const piece : range(typename Part::pieces(sum.registers))) {
            reinterpret_cast<vec<float, 2>*>(buffer[lane + piece].get())[pair] = *sum[piece];
        }
    }
}

// Stores the sums of a warpgroup. With several splits, the sums of the other blocks are added
// first.
template <problem Problem, config Config, arch Arch, class Epilogue> struct stores {
    using tiles = block_tiles<Problem, Config, Arch>;
    using part = typename tiles::fragment::part;
    static constexpr int columns = tiles::columns; // that are stored at a time: a line of each row
    static constexpr int lines = Config.n / columns;

    block<Problem, Config, Arch> const& home;
    typename tiles::fragment const& sums;
    typename tiles::tile_position const& tile;
    typename tiles::buffer_ring& ring;
    Epilogue const& epilogue;

    // With several splits, this block stores its part of the columns.
    template <int... Line> __device__ __forceinline__ void run(numbers<Line...>) const {
        ((Line * Config.splits / lines == home.cluster.split ? store<Line>() : void()), ...);
    }
    template <int Line> __device__ __forceinline__ void store() const {
        auto const warp_row = fold<M, 16>(warp_of_warpgroup().get());
        auto const first_row = tile.row + fold<M, 64>(this_warpgroup().get());
        auto const first_column = tile.column + fold<N, columns>(Line);
        auto const lane = for_lane<typename part::lane_index>(this_lane());
        auto const buffer = home.d[this_warpgroup()][ring.stage()];
#pragma unroll
        for (int n = 0; n < columns / 16; ++n) {
            part sum = sums[Line * (columns / 16) + n];
            if constexpr (Config.splits > 1) {
                split_exchange<Problem, Config, Arch>(home).add(sum, Line * (columns / 16) + n);
            }
            auto const column = fold<N, 16>(n);
#pragma unroll
            for (auto const piece : range(typename part::pieces(sum.registers))) {
                epilogue(coordinates_of(tile.batch) +
                             (first_row + first_column + warp_row + column + lane + piece),
                         *sum[piece]);
            }
            write<Arch, typename tiles::result>(buffer[warp_row][column], sum);
        }
        fence_for_bulk_copies<Arch>();
        if (thread_of_warpgroup() == 0) wait_for_bulk_reads<Arch, Config.buffers - 2>();
        sync_warpgroup();
        if (thread_of_warpgroup() == 0) {
            store_box<Arch>(map_as<typename tiles::d_map>(home.p.d),
                            coordinates_of(tile.batch) + first_row + first_column, buffer);
            commit_bulk_stores<Arch>();
        }
        ++ring;
    }
};

} // namespace spio::matmul::wgmma
