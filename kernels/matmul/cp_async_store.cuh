// How a block of the matrix product by mma.sync stores its sums, through shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// M and N are the rows and columns of the result; fold<N, 8> counts columns in blocks of 8. A
// fragment is the part of a matrix that a lane holds. The epilogue changes the sums before they are
// stored. Code that is passed once waits for its instructions, so that a short loop over cells of 8
// columns takes less time than long code without a loop. for_lane<lane_index>(lane) says which
// elements of a fragment a lane holds. push<T>() takes room for a tensor T from the block's shared
// memory, and returns it and the rest. position.total<D>() is the whole place along D, in single
// steps.
#pragma once

#include "matmul/cp_async_block.cuh"
#include "matmul/epilogue.cuh"

namespace spio::matmul::cp_async {

// Stores 8 neighbouring sums at a place in the result, `width` of whose columns are left there. The
// place of a cell is a multiple of its size only if the problem's alignment says so.
template <int Alignment, class Result>
__device__ __forceinline__ void store_cell(Result* destination, vec<float, 2> const (&pairs)[4],
                                           int width) {
    if (Alignment == 16 && width >= 8) {
        if constexpr (factor<Result>) {
            vec<pair<Result>, 4> cell;
            for (int i = 0; i < 4; ++i) cell[i] = pair<Result>(pairs[i][0], pairs[i][1]);
            *reinterpret_cast<vec<pair<Result>, 4>*>(destination) = cell;
        } else {
            auto* const halves = reinterpret_cast<vec<float, 4>*>(destination);
            halves[0] = {pairs[0][0], pairs[0][1], pairs[1][0], pairs[1][1]};
            halves[1] = {pairs[2][0], pairs[2][1], pairs[3][0], pairs[3][1]};
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        if (i < width) destination[i] = Result(pairs[i / 2][i % 2]);
    }
}

// The sums of a block on their way to the result.
template <problem Problem, config Config> struct stores {
    using block = cp_async::block<Problem, Config>;
    using C = typename block::C;
    using result = typename block::result;
    // Rows are some banks longer than the tile, so that the lanes of a column write different ones.
    using sums = tensor<vec<float, 2>, axis<M>(Config.m), axis<N>(Config.n + Config.padding) / 2>;
    static_assert(4 * sums::storage_size() * 2 <= Config.shared_bytes());
    static constexpr int cells = Config.n / 8; // of a row

    block const& home;
    args const& arguments;
    sums tile;

    __device__ stores(block const& block, args const& args)
        : home(block),
          arguments(args),
          tile(dynamic_shared_memory<Config.shared_bytes()>().template push<sums>().tensor) {}

    // Writes the sums of a warp to shared memory, where no thread may read factors any more.
    __device__ __forceinline__ void write(typename block::Cs const& c,
                                          typename block::Warp const& warp) const {
        auto const lane = tile[warp + for_lane<typename C::lane_index>(this_lane())];
#pragma unroll
        for (auto const position : range(c)) {
#pragma unroll
            for (auto const piece : range(typename C::pieces())) {
                *lane[position][piece] = *(*c[position])[piece];
            }
        }
    }
    // Stores the tile, one cell of each thread after the other.
    template <class Epilogue> __device__ __forceinline__ void run(Epilogue const& epilogue) const {
        auto* const matrix =
            static_cast<result*>(arguments.d.data) + home.batch.get() * arguments.d.batch;
#pragma unroll 1
        for (int n = this_thread(); n < Config.m * cells; n += Config.threads()) {
            auto const place = M(n / cells) + fold<N, 8>(n % cells);
            auto const first =
                coordinates_of(home.batch) + (home.first_row + home.first_column) + place;
            int const row = M(first.template total<M>()).get();
            int const column = N(first.template total<N>()).get();
            int const width = arguments.sizes.n - column;
            if (row >= arguments.sizes.m || width <= 0) continue;
            auto const pairs = tile[place];
            vec<float, 2> pair[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                pair[i] = *pairs[fold<N, 2>(i)];
                epilogue(first + fold<N, 2>(i), pair[i]);
            }
            store_cell<Problem.alignment>(matrix + row * arguments.d.leading + column, pair, width);
        }
    }
};

} // namespace spio::matmul::cp_async
