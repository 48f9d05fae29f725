// The second tensor of fprop and dgrad by cp.async: the residual, or the preactivation.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input; y is fprop's output. A residual is a
// tensor that fprop adds to y. The preactivation is y before its activation: fprop can store it,
// and dgrad multiplies the gradient of y by the activation's derivative there. A cell is 16 bytes:
// 8 channels of a pixel. A stage is one place of a ring in shared memory. With a dilation of 2,
// rows are in two phases, each of every second row. push<T>() takes room for a tensor T from the
// block's shared memory, and returns it and the rest. A SIDE is one of the two rows of the staging
// memory.
//
//     residual        fprop, global --cp.async--> a ring of shared rows, read by the epilogue
//     preactivation   fprop, epilogue -> two rows in shared memory -> global
//                     dgrad, global --cp.async--> a ring of shared rows, each cell read by the
//                     thread that copied it, which multiplies its gradient of y
#pragma once

#include "conv2d/cp_async_rows.cuh"
#include "conv2d/epilogue.cuh"

namespace spio::conv2d::cp_async {

// Shared memory with one more tensor, if it exists.
template <class Tensor, bool Exists, class Memory> __device__ auto push_if(Memory const& memory) {
    if constexpr (Exists) {
        return memory.template push<Tensor>();
    } else {
        struct nothing {
            Tensor tensor;
            Memory rest;
        };
        return nothing{Tensor(nullptr), memory};
    }
}

// The ring of rows of the second tensor, if it has one.
template <class Tiles, class Memory> __device__ auto push_second_ring(Memory const& memory) {
    constexpr bool has_derivative = Tiles::layer.has_derivative();
    using ring = either<has_derivative, typename Tiles::ring, typename Tiles::residual_ring>;
    constexpr bool exists = has_derivative || Tiles::layer.residual;
    return push_if<ring, exists>(memory);
}

// The epilogue of a row without one.
struct no_epilogue {
    __device__ void operator()(int, vec<float, 2> const&, N, Q) const {}
};

// What a block without a second tensor does with it: nothing.
struct no_second {
    __device__ void load(int, STAGE) const {}
    __device__ void store(SIDE) const {}
};

// Copies the residual's row of each output row into the ring, in the step that copies the input row
// which finishes it.
template <class Tiles, int Threads, class Global, class Stages>
struct residual_producer : row_cells<typename Tiles::OutputCell, Threads, Global, Stages> {
    typename Tiles::position const& position;

    __device__ residual_producer(typename Tiles::position const& block_position,
                                 Global const& residual, Stages const& stages)
        : row_cells<typename Tiles::OutputCell, Threads, Global, Stages>(residual, stages),
          position(block_position) {}
    // The copies belong to the group that the copies of the input row end.
    __device__ __forceinline__ void load(int row, STAGE stage) {
        int const distance = row - (Tiles::r - 1);
        if (row >= position.input_rows || distance < 0 || distance % Tiles::advance != 0) return;
        this->copy(stage);
        this->source.step(P(Tiles::phases));
    }
};

// Copies the rows of the preactivation beside those of the gradient of y, and multiplies.
template <class Tiles, int Threads, class Global, class Stages>
struct derivative_producer : input_cells<Tiles, Threads, Global, Stages> {
    using input_cells<Tiles, Threads, Global, Stages>::input_cells;
    // The copies belong to the group that the copies of the input row end.
    __device__ __forceinline__ void load(int row, STAGE stage) {
        this->copy_row(row, stage);
        this->step(row);
    }
    // Multiplies this thread's cells of a row that has come. `gradients` are the same cells in the
    // ring of the gradient of y. Cells beside the image are zeros.
    template <class Gradients>
    __device__ __forceinline__ void multiply(int row, STAGE stage,
                                             Gradients const& gradients) const {
        if (!this->position.is_row_in_image(row)) return;
#pragma unroll
        for (int n = 0; n < this->source.count; ++n) {
            if (!this->source.has(n)) continue;
            auto const place = gradients[n][stage];
            *place = times_derivative<Tiles::layer>(*place, *this->stage_cells[n][stage]);
        }
    }
};

// What copies the rows of the second tensor into its ring.
template <class Tiles, int Threads, class Ring>
__device__ auto second_producer(params const& p, typename Tiles::position const& block,
                                Ring const& ring) {
    if constexpr (Tiles::layer.has_derivative()) {
        auto const source = Tiles::global::like_input(
            p.args, p.epilogue.preactivation)[block.image][block.group][block.input_column];
        auto const stages = Tiles::inputs_of(ring).origin();
        return derivative_producer<Tiles, Threads, decltype(source), decltype(stages)>(
            block, source, stages);
    } else if constexpr (Tiles::layer.residual) {
        auto const source =
            Tiles::output_of_block(Tiles::global::like_output(p.args, p.epilogue.residual), block);
        auto const stages = as_vectors<cell<Tiles::layer>>(ring).origin();
        return residual_producer<Tiles, Threads, decltype(source), decltype(stages)>(block, source,
                                                                                     stages);
    } else {
        return no_second();
    }
}
// What copies rows of the preactivation from the staging memory to global memory in fprop.
template <class Tiles, int Threads, class Staging>
__device__ auto preactivation_epilogue(params const& p, typename Tiles::position const& block,
                                       Staging const& staging) {
    if constexpr (Tiles::layer.preactivation) {
        auto const staged = as_vectors<cell<Tiles::layer>>(staging).origin();
        auto const output = Tiles::output_of_block(
            Tiles::global::like_output(p.args, p.epilogue.preactivation), block);
        return epilogue<Tiles, Threads, decltype(staged), decltype(output)>(staged, output);
    } else {
        return no_second();
    }
}

} // namespace spio::conv2d::cp_async
