// The tiles of a block in fprop and dgrad by cp.async: their shapes and positions.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. N, H, W, C are the images, rows,
// columns and channels of the input, N, P, Q, K those of the output, R and S the rows and columns
// of the filter. axis<D>(n) is the dimension D with n values; fold<D, n>, or axis / n, counts it in
// blocks of n. A tensor is a pointer with axes, outermost first. A subscript is a position along
// some of its axes, and returns a cursor: a place in the tensor, with an address. Problem (the
// sizes and options of a call) and Config (how blocks and warps share it) are known when a kernel
// is compiled. A compound index is one number for several indices, the last of which varies
// fastest. With a dilation of 2, rows are in two phases, each of every second row. A strip is some
// neighbouring columns. A cell is 16 bytes: 8 channels of a pixel. A stage is one place of a ring
// in shared memory. `live` is the number of output rows that read the same input row. A group is 8
// channels. unfold() counts a fold in single steps. cast<D>(x) is the same number in the dimension
// D.
#pragma once

#include "conv2d/cp_async.h"
#include "conv2d/filter_fragments.cuh"
#include "conv2d/tensors.h"
#include "spio/facts.h"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::cp_async {

// STAGE: an input row in the ring. SIDE: one of the two output rows in the staging memory. PHASE: a
// phase of the output rows.
struct STAGE : dim {
    using dim::dim;
};
struct SIDE : dim {
    using dim::dim;
};
struct PHASE : dim {
    using dim::dim;
};

// Splits a block number into coordinates, the fastest first: returns number % count, and divides
// number by count. The counts may be known only at launch.
template <index Digit> __device__ Digit take_digit(unsigned& number, int count) {
    auto const radix = static_cast<unsigned>(count);
    Digit const digit(number % radix);
    number /= radix;
    return digit;
}

// The tensors of a block in shared and in global memory, and its part of the latter.
template <problem Problem, config Config> struct block_tiles {
    static constexpr int groups = Config.groups;
    static constexpr int stages = Config.stages;
    static constexpr axis<N> n{Config.images};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<W> w{Config.input_columns(Problem)};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<K> k{8 * groups};

    static constexpr problem layer = Problem;
    static constexpr int r = Problem.r;
    using T = element<Problem>;
    using global = tensors<Problem>;
    // Positions in units of what a block computes: Rows(2) is the first row of the third block.
    using Images = fold<N, Config.images>;
    using Rows = fold<P, Config.rows>;
    using Columns = fold<Q, Config.columns>;
    using Groups = fold<C, 8 * groups>;

    // A block walks down the input rows that its output rows read. With a dilation of 2 there are
    // two phases, each of every second row, and a block has rows of one. `advance` is the rows of
    // the walk from an output row to the next, `live` the output rows that read the same one, and
    // `input_step` the input rows from one row of the walk to the next.
    static constexpr correlated_axis height = rows_of(global::sizes);
    static constexpr int phases = height.phases();
    static constexpr int advance = height.advance();
    static constexpr int live = height.live_outputs();
    static constexpr int input_step = height.input_step();

    // The ring of input rows, and two output rows: one is written while the other is copied out.
    static constexpr int pitch = Config.pitch();
    static constexpr int ring_row = w.size * pitch;
    using ring = tensor<cell<Problem>, axis<STAGE>(Config.stages), n, w.pitch(pitch), c / 8>;
    using staging = tensor<pair<T>, axis<SIDE>(2), n, q.pitch(4 * pitch), k / 2>;
    static_assert(Config.shared_bytes(Problem) >= shared_bytes<ring, staging>);
    // A row of the residual for each stage.
    using residual_ring = tensor<pair<T>, axis<STAGE>(Config.stages), n, q.pitch(4 * pitch), k / 2>;

    // The columns of the ring that have inputs, and the first of them.
    static constexpr correlated_axis width = columns_of(global::sizes);
    static constexpr int first_input_column = width.spacing == 1 ? 0 : width.pad & 1;
    static constexpr axis<W> w_input{divup(w.size - first_input_column, width.spacing)};
    using input_ring = tensor<cell<Problem>, axis<STAGE>(Config.stages).pitch(ring_row* n.size),
                              n.pitch(ring_row), w_input.pitch(width.spacing* pitch), c / 8>;
    __device__ static input_ring inputs_of(ring const& rows) {
        return input_ring(rows[W(first_input_column)].get());
    }

    // The cells of an input row and of an output row, which threads copy.
    static constexpr bool has_one_image = Config.images == 1;
    using InputCell =
        either<has_one_image, compound_index<w_input, c / 8>, compound_index<n, w_input, c / 8>>;
    using OutputCell = either<has_one_image, compound_index<q, k / 8>, compound_index<n, q, k / 8>>;

    // The columns of an output row, image by image. A warp has a strip of them, and one group.
    using Pixels = compound_index<n, q>;
    static constexpr int strip = 16 * Config.mma_tiles;
    using Warp = compound_index<axis<Q>(Config.columns_of_images()) / strip, k / 8>;
    // The image and the column of the piece-th 8 columns of a strip, relative to its first column.
    static constexpr N image_of(int piece) { return Pixels(8 * piece).template get<N>(); }
    static constexpr Q column_of(int piece) { return Pixels(8 * piece).template get<Q>(); }
    // The column of the ring that a column of the output reads first, in the block.
    static constexpr W ring_column(Q column) { return W(width.stride * column.get()); }

    // The block's part of the output: some rows of a phase. And the walk along the input rows that
    // it reads.
    struct position {
        Groups group;
        Columns column;
        P row;
        Images image;
        correlated_axis rows;
        int first_position;
        W input_column;
        int input_rows; // of the walk; none in a block without output rows

        // `group_count` is the number of groups of the problem.
        __device__ position(correlation const& sizes, int group_count) : rows(rows_of(sizes)) {
            auto number = static_cast<unsigned>(this_block());
            group = take_digit<Groups>(number, divup(group_count, groups));
            column = take_digit<Columns>(number, divup(sizes.q, Config.columns));
            auto const phase = take_digit<PHASE>(number, phases);
            auto const row_in_phase =
                unfold(take_digit<Rows>(number, divup(divup(sizes.p, phases), Config.rows)));
            image = Images(number);
            row = P(phases * row_in_phase.get() + phase.get());
            first_position = rows.first_position(row.get());
            correlated_axis const columns = columns_of(sizes);
            input_column = W(columns.input_from(columns.first_position(unfold(column).get())));
            int const rows_left = divup(sizes.p - row.get(), phases);
            input_rows =
                rows_left > 0 || phases == 1 ? rows.walk_count(min(Config.rows, rows_left)) : 0;
        }
        // The position of the walk's row n.
        __device__ int position_of(int n) const { return first_position + rows.dilation * n; }
        __device__ bool is_row_in_image(int n) const { return rows.is_inside(position_of(n)); }
        __device__ bool has_input(int n) const { return rows.has_input(position_of(n)); }
        __device__ H first_input() const { return H(rows.input_from(first_position)); }
    };

    // The part of the output, or of a tensor of its size, that a block computes.
    template <class Output>
    __device__ static auto output_of_block(Output const& output, position const& block) {
        return output[block.image][cast<K>(block.group)][block.row][block.column];
    }
};

} // namespace spio::conv2d::cp_async
