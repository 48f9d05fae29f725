// How a block of the matrix product by mma.sync stores its sums, through shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// M and N are the rows and columns of the result; fold<N, 8> counts columns in blocks of 8. A
// fragment is the part of a matrix that a lane holds. The epilogue changes the sums before they are
// stored. Code that is passed once waits for its instructions, so that a short loop over cells of 8
// columns takes less time than long code without a loop. for_lane<lane_index>(lane) says which
// elements of a fragment a lane holds. push<T>() takes room for a tensor T from the block's shared
// memory, and returns it and the rest. position.total<D>() is the whole place along D, in single
// steps. type_is<T> has T as its member `type`. pair<T> is two halves or bfloat16s in a register.
#pragma once

#include "matmul/cp_async_block.cuh"
#include "matmul/epilogue.cuh"

namespace spio::matmul::cp_async {

// Stores 8 neighbouring numbers at a place in the result, `width` of whose columns are left there.
// The place of a cell is a multiple of its size only if the problem's alignment says so.
template <int Alignment, factor Result>
__device__ __forceinline__ void store_cell(Result* destination, vec<pair<Result>, 4> const& cell,
                                           int width) {
    if (Alignment == 16 && width >= 8) {
        *reinterpret_cast<vec<pair<Result>, 4>*>(destination) = cell;
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        if (i < width) destination[i] = i % 2 == 0 ? cell[i / 2].first() : cell[i / 2].second();
    }
}
// The same for 8 sums, which are rounded if the result is.
template <int Alignment, class Result>
__device__ __forceinline__ void store_cell(Result* destination, vec<float, 2> const (&pairs)[4],
                                           int width) {
    if constexpr (factor<Result>) {
        vec<pair<Result>, 4> cell;
        for (int i = 0; i < 4; ++i) cell[i] = pair<Result>(pairs[i][0], pairs[i][1]);
        store_cell<Alignment>(destination, cell, width);
    } else if (Alignment == 16 && width >= 8) {
        auto* const halves = reinterpret_cast<vec<float, 4>*>(destination);
        halves[0] = {pairs[0][0], pairs[0][1], pairs[1][0], pairs[1][1]};
        halves[1] = {pairs[2][0], pairs[2][1], pairs[3][0], pairs[3][1]};
    } else {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (i < width) destination[i] = pairs[i / 2][i % 2];
        }
    }
}

// Two neighbouring sums in shared memory: rounded there already, if no epilogue changes them.
template <class Result, bool ChangesSums> struct staged_pair : type_is<vec<float, 2>> {};
template <factor Result> struct staged_pair<Result, false> : type_is<pair<Result>> {};

// The sums of a block on their way to the result.
template <problem Problem, config Config, class Epilogue> struct stores {
    using block = cp_async::block<Problem, Config>;
    using C = typename block::C;
    using result = typename block::result;
    using staged = typename staged_pair<result, changes_sums<Epilogue>>::type;
    static constexpr bool is_rounded = !same<staged, vec<float, 2>>;
    // Rows are some banks longer than the tile, so that the lanes of a column write different ones.
    using sums = tensor<staged, axis<M>(Config.m), axis<N>(Config.n + Config.padding) / 2>;
    static_assert(sums::num_bytes() <= Config.tile_bytes());
    static constexpr int cells = Config.n / 8; // of a row

    block const& home;
    args const& arguments;
    Epilogue const& epilogue;
    sums tile;

    __device__ stores(block const& block, args const& args, Epilogue const& epilogue)
        : home(block),
          arguments(args),
          epilogue(epilogue),
          tile(dynamic_shared_memory<Config.shared_bytes()>().template push<sums>().tensor) {}

    // Writes the sums of a warp to shared memory, where no thread may read factors any more.
    __device__ __forceinline__ void write(typename block::Cs const& c,
                                          typename block::Warp const& warp) const {
        auto const lane = tile[warp + for_lane<typename C::lane_index>(this_lane())];
#pragma unroll
        for (auto const position : range(c)) {
#pragma unroll
            for (auto const piece : range(typename C::pieces())) {
                auto const& pair = *(*c[position])[piece];
                if constexpr (is_rounded) {
                    *lane[position][piece] = staged(pair[0], pair[1]);
                } else {
                    *lane[position][piece] = pair;
                }
            }
        }
    }
    // Stores the tile, one cell of each thread after the other.
    __device__ __forceinline__ void run() const {
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
            auto* const destination = matrix + row * arguments.d.leading + column;
            auto const pairs = tile[place];
            if constexpr (is_rounded) {
                store_cell<Problem.alignment>(
                    destination, *reinterpret_cast<vec<staged, 4> const*>(pairs.get()), width);
            } else {
                vec<float, 2> pair[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    pair[i] = *pairs[fold<N, 2>(i)];
                    epilogue(first + fold<N, 2>(i), pair[i]);
                }
                store_cell<Problem.alignment>(destination, pair, width);
            }
        }
    }
};

} // namespace spio::matmul::cp_async
