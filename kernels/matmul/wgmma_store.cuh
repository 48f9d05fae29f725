// How a warpgroup of the matrix product stores its sums: epilogue, buffers in shared memory, TMA.
// SPDX-License-Identifier: Apache-2.0
//
// The epilogue changes the sums: bias, activation, residual. M and N are rows and columns of the
// result d; a fold counts them in blocks. A line is the 128 bytes of a row that a buffer holds.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled. for_lane<lane_index>(lane) says which elements of a fragment a lane
// holds. row_index() is the row that a lane gives to ldmatrix or stmatrix.
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

// Stores the sums of a warpgroup. With several splits, this block stores some of the columns, and
// the sums of the other blocks are added first.
template <problem Problem, config Config, arch Arch, class Epilogue> struct stores {
    using tiles = block_tiles<Problem, Config, Arch>;
    using part = typename tiles::fragment::part;
    static constexpr int columns = tiles::columns;          // of a box
    static constexpr int own_boxes = Config.boxes(Problem); // of a split
    static constexpr int boxes = own_boxes * Config.storing_splits();
    static constexpr int row_blocks = Config.consumer_rows() / 64;
    static constexpr int row_boxes = own_boxes / row_blocks; // of 64 rows

    block<Problem, Config, Arch> const& home;
    typename tiles::fragment const& sums;
    typename tiles::tile_position const& tile;
    typename tiles::buffer_ring& ring;
    Epilogue const& epilogue;

    template <int... Box> __device__ __forceinline__ void run(numbers<Box...>) const {
        if constexpr (Config.stores_at_once(Problem)) {
            wait_for_reads<0>();
            ((is_own<Box>() ? write_box<Box>(own_buffer<Box>()) : void()), ...);
            fence_for_bulk_copies<Arch>();
            sync_warpgroup();
            if (thread_of_warpgroup() == 0) {
                ((is_own<Box>() ? store<Box>(own_buffer<Box>()) : void()), ...);
                commit_bulk_stores<Arch>();
            }
        } else {
            ((is_own<Box>() ? write_and_store<Box>() : void()), ...);
        }
    }

  private:
    using buffer_number = bounded<BUFFER, Config.used_buffers(Problem)>;

    template <int Box> __device__ bool is_own() const {
        return Box / own_boxes == home.cluster.split;
    }
    template <int Box> __device__ auto own_buffer() const {
        return home.d[this_warpgroup()][buffer_number(Box % own_boxes)];
    }
    // Waits until all stores but the last InFlight have read their buffers.
    template <int InFlight> __device__ __forceinline__ static void wait_for_reads() {
        if (thread_of_warpgroup() == 0) wait_for_bulk_reads<Arch, InFlight>();
        sync_warpgroup();
    }
    // The buffer of a box is free once all stores but the last ones have read theirs; the barrier
    // that tells so comes a box before.
    template <int Box> __device__ __forceinline__ void write_and_store() const {
        auto const buffer = home.d[this_warpgroup()][ring.stage()];
        write_box<Box>(buffer);
        fence_for_bulk_copies<Arch>();
        wait_for_reads<max(0, Config.buffers - 2)>();
        if (thread_of_warpgroup() == 0) {
            store<Box>(buffer);
            commit_bulk_stores<Arch>();
        }
        ++ring;
    }
    template <int Box, class Buffer>
    __device__ __forceinline__ void write_box(Buffer const& buffer) const {
        auto const warp_row = fold<M, 16>(warp_of_warpgroup().get());
#pragma unroll
        for (int n = 0; n < columns / 16; ++n) {
            constexpr int first_part =
                block_number<Box>() * tiles::fragment::parts + column_number<Box>() / 16;
            part sum = sums[first_part + n];
            if constexpr (Config.splits > 1) {
                split_exchange<Problem, Config, Arch>(home).add(sum, first_part + n);
            }
            auto const column = fold<N, 16>(n);
            if constexpr (changes_sums<Epilogue>) {
                auto const lane = for_lane<typename part::lane_index>(this_lane());
                auto const first =
                    first_row<Box>() + first_column<Box>() + warp_row + column + lane;
#pragma unroll
                for (auto const piece : range(typename part::pieces(sum.registers))) {
                    epilogue(coordinates_of(tile.batch) + (first + piece), *sum[piece]);
                }
            }
            write<Arch, typename tiles::result>(buffer[warp_row][column], sum);
        }
    }
    template <int Box, class Buffer>
    __device__ __forceinline__ void store(Buffer const& buffer) const {
        store_box<Arch>(map_as<typename tiles::d_map>(home.p.d),
                        coordinates_of(tile.batch) + first_row<Box>() + first_column<Box>(),
                        buffer);
    }
    // The block of 64 rows that has a box, among those of the warpgroup.
    template <int Box> static constexpr int block_number() { return Box % own_boxes / row_boxes; }
    template <int Box> __device__ auto first_row() const {
        int const block = Config.ping_pong ? block_number<Box>() : this_warpgroup().get();
        return tile.row + fold<M, 64>(block);
    }
    template <int Box> __device__ auto first_column() const {
        return tile.column + fold<N, 16>(column_number<Box>() / 16);
    }
    // The first column of a box in the tile. The last box of a split ends with its columns.
    template <int Box> static constexpr int column_number() {
        int const own = min(Box % row_boxes * columns, Config.stored_columns() - columns);
        return Box / own_boxes * Config.stored_columns() + own;
    }
};

} // namespace spio::matmul::wgmma
