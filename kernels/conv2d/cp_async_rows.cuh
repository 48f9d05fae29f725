// The rows that the threads of a block copy in fprop and dgrad by cp.async: input and output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/cp_async_tiles.cuh"
#include "conv2d/thread_cells.cuh"
#include "spio/tile/async_copy.cuh"
#include "spio/views.h"

namespace spio::conv2d::cp_async {

// Copies the input rows of a block into the ring.
template <class Tiles, int Threads, class Global, class Stages> struct producer {
    typename Tiles::position const& position;
    thread_cells<typename Tiles::InputCell, Threads, Global> source;
    thread_cells<typename Tiles::InputCell, Threads, Stages, /*AllExist=*/true> stage_cells;

    __device__ producer(typename Tiles::position const& block_position, Global const& input,
                        Stages const& stages)
        : position(block_position),
          source(input, this_thread()),
          stage_cells(stages, this_thread()) {
        source.step(position.first_input());
    }
    // Commits a group of copies in every step, also if the row has no input or is after the last
    // one.
    __device__ __forceinline__ void load(int row, STAGE stage) {
        if (row < position.input_rows && position.is_row_in_image(row)) {
#pragma unroll
            for (int n = 0; n < source.count; ++n) {
                if (stage_cells.is_mine(n, this_thread()))
                    copy_async(stage_cells[n][stage], source[n], source.has(n));
            }
        }
        commit_copies();
        if (position.has_input(row)) source.step(H(Tiles::input_step));
    }
};

// Writes zeros to the columns of the ring between inputs. No copy writes there.
template <class Tiles, int Threads, class Ring> __device__ void clear_gaps(Ring const& ring) {
    using Cell = compound_index<axis<STAGE>(Tiles::stages), Tiles::n, Tiles::w, Tiles::c / 8>;
    for (int number = this_thread(); number < Cell::size(); number += Threads) {
        Cell const cell(number);
        bool const has_input =
            cell.template get<W>().get() % Tiles::width.spacing == Tiles::first_input_column;
        if (!has_input) *ring[cell] = {};
    }
}

// Copies finished output rows from the staging memory to global memory.
template <class Tiles, int Threads, class Staging, class Global> struct epilogue {
    thread_cells<typename Tiles::OutputCell, Threads, Staging, /*AllExist=*/true> staged;
    thread_cells<typename Tiles::OutputCell, Threads, Global> output;

    __device__ epilogue(Staging const& staging, Global const& destination)
        : staged(staging, this_thread()), output(destination, this_thread()) {}
    // Stores one of the two staged rows as the block's next output row.
    __device__ __forceinline__ void store(SIDE side) {
#pragma unroll
        for (int n = 0; n < output.count; ++n) {
            if (output.has(n)) *output[n] = *staged[n][side];
        }
        output.step(P(Tiles::phases));
    }
};

} // namespace spio::conv2d::cp_async
