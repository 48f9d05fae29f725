// The rows that the threads of a block copy in fprop and dgrad by cp.async: input and output.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. The block passes over the input row
// by row. The ring is a few rows in shared memory, its stages, which are filled in turn ahead of
// the row that the tensor cores read; the staging memory has two finished output rows, its sides. A
// cell is the 16 bytes of 8 channels that one thread copies. With a dilation of 2, output rows are
// in two phases, each of every second row.
#pragma once

#include "conv2d/cp_async_tiles.cuh"
#include "conv2d/thread_cells.cuh"
#include "spio/tile/async_copy.cuh"
#include "spio/views.h"

namespace spio::conv2d::cp_async {

// A thread's cells of a row in global memory, and their places in each stage of a ring.
template <class Cell, int Threads, class Global, class Stages> struct row_cells {
    thread_cells<Cell, Threads, Global> source;
    thread_cells<Cell, Threads, Stages, /*AllExist=*/true> stage_cells;

    __device__ row_cells(Global const& rows, Stages const& stages)
        : source(rows, this_thread()), stage_cells(stages, this_thread()) {}
    // Copies the row. Cells outside the tensor become zeros.
    __device__ __forceinline__ void copy(STAGE stage) const {
#pragma unroll
        for (int n = 0; n < source.count; ++n) {
            if (stage_cells.is_mine(n, this_thread()))
                copy_async(stage_cells[n][stage], source[n], source.has(n));
        }
    }
};

// The input rows of a block, or rows of a tensor of the same sizes.
template <class Tiles, int Threads, class Global, class Stages>
struct input_cells : row_cells<typename Tiles::InputCell, Threads, Global, Stages> {
    typename Tiles::position const& position;

    __device__ input_cells(typename Tiles::position const& block_position, Global const& rows,
                           Stages const& stages)
        : row_cells<typename Tiles::InputCell, Threads, Global, Stages>(rows, stages),
          position(block_position) {
        this->source.step(position.first_input());
    }
    // A row of the padding is not copied.
    __device__ __forceinline__ void copy_row(int row, STAGE stage) const {
        if (row < position.input_rows && position.is_row_in_image(row)) this->copy(stage);
    }
    __device__ __forceinline__ void step(int row) {
        if (position.has_input(row)) this->source.step(H(Tiles::input_step));
    }
};

// Copies the input rows of a block into the ring.
template <class Tiles, int Threads, class Global, class Stages>
struct producer : input_cells<Tiles, Threads, Global, Stages> {
    using input_cells<Tiles, Threads, Global, Stages>::input_cells;
    // Commits a group of copies in every step, also if the row has no input or is after the last
    // one.
    __device__ __forceinline__ void load(int row, STAGE stage) {
        this->copy_row(row, stage);
        commit_copies();
        this->step(row);
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
