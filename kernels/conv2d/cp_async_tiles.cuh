// The tiles of a block in fprop and dgrad by cp.async: their shapes and positions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/cp_async.h"
#include "conv2d/filter_fragments.cuh"
#include "conv2d/tensors.h"
#include "spio/facts.h"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::cp_async {

// STAGE: an input row in the ring. SIDE: one of the two output rows in the staging memory.
struct STAGE : dim {
    using dim::dim;
};
struct SIDE : dim {
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
    static constexpr axis<N> n{Config.images};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<W> w{Config.input_columns(Problem)};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<K> k{8 * groups};

    using T = element<Problem>;
    using global = tensors<Problem>;
    // Positions in units of what a block computes: Rows(2) is the first row of the third block.
    using Images = fold<N, Config.images>;
    using Rows = fold<P, Config.rows>;
    using Columns = fold<Q, Config.columns>;
    using Groups = fold<C, 8 * groups>;

    // The ring of input rows, and two output rows: one is written while the other is copied out.
    static constexpr int pitch = Config.pitch();
    using ring = tensor<cell<Problem>, axis<STAGE>(Config.stages), n, w.pitch(pitch), c / 8>;
    using staging = tensor<pair<T>, axis<SIDE>(2), n, q.pitch(4 * pitch), k / 2>;
    static_assert(Config.shared_bytes(Problem) >= shared_bytes<ring, staging>);

    // The cells of an input row and of an output row, which threads copy.
    static constexpr bool has_one_image = Config.images == 1;
    using InputCell =
        typename either<has_one_image, compound_index<w, c / 8>, compound_index<n, w, c / 8>>::type;
    using OutputCell =
        typename either<has_one_image, compound_index<q, k / 8>, compound_index<n, q, k / 8>>::type;

    // The columns of an output row, image by image. A warp has a strip of them, and one group.
    using Pixels = compound_index<n, q>;
    static constexpr int strip = 16 * Config.mma_tiles;
    using Warp = compound_index<axis<Q>(Config.columns_of_images()) / strip, k / 8>;
    // The image and the column of the piece-th 8 columns of a strip, relative to its first column.
    static constexpr N image_of(int piece) { return Pixels(8 * piece).template get<N>(); }
    static constexpr Q column_of(int piece) { return Pixels(8 * piece).template get<Q>(); }

    // The block's part of the output, and the input rows that it reads.
    struct position {
        Groups group;
        Columns column;
        Rows row;
        Images image;
        correlated_axis rows; // which input rows an output row reads
        H input_row;          // the first, negative in the padding
        W input_column;
        int input_rows; // that the block reads, those in the padding included

        __device__ explicit position(correlation const& sizes) : rows(rows_of(sizes)) {
            auto number = static_cast<unsigned>(this_block());
            group = take_digit<Groups>(number, divup(Problem.groups(), groups));
            column = take_digit<Columns>(number, divup(sizes.q, Config.columns));
            row = take_digit<Rows>(number, divup(sizes.p, Config.rows));
            image = Images(number);
            input_row = H(rows.first_input(unfold(row).get()));
            input_column = W(columns_of(sizes).first_input(unfold(column).get()));
            input_rows = rows.input_count(min(Config.rows, sizes.p - unfold(row).get()));
        }
        // `row` is counted from input_row.
        __device__ bool is_row_in_image(int row) const {
            return rows.is_inside((input_row + H(row)).get());
        }
    };
};

} // namespace spio::conv2d::cp_async
