// A block of the matrix product by mma.sync: its tiles and fragments, and what it reads and writes.
// SPDX-License-Identifier: Apache-2.0
//
// M and N are the rows and columns of the result, K what the product sums over. axis<D>(n) is the
// dimension D with n values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a
// pointer with axes, outermost first. A subscript is a position along some of its axes, and returns
// a cursor: a place in the tensor, with an address. Problem (the sizes and options of a call) and
// Config (how blocks and warps share it) are known when a kernel is compiled.
#pragma once

#include "matmul/cp_async.h"
#include "matmul/cp_async_copy.cuh"
#include "spio/facts.h"
#include "spio/tile/multiply.cuh"

namespace spio::matmul::cp_async {

// A and B are fragments of the factors, C of the sum, of 16 x 16 elements; As, Bs and Cs are those
// of a warp. A line is a row of a factor in memory or, if the factor lies by columns, a column.
// Lines go along k unless a_by_lines or b_by_lines.
template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    static constexpr bool a_by_lines = Problem.a == order::columns;
    static constexpr bool b_by_lines = Problem.b == order::rows;
    using T = typename factor_of<Problem.type>::type;
    using result = typename result_of<Problem.result>::type;
    using a_tiles = factor_tiles<vec<T, 8>, M, Config.m, a_by_lines ? tile_k : Config.m,
                                 Config.stages, a_by_lines>;
    using b_tiles = factor_tiles<vec<T, 8>, N, Config.n, b_by_lines ? tile_k : Config.n,
                                 Config.stages, b_by_lines>;
    static constexpr axis<M> m16{16};
    static constexpr axis<N> n16{16};
    static constexpr axis<K> k16{16};
    using A = left_fragment<T, m16, k16>;
    using B = right_fragment<T, k16, n16>;
    using C = sum_fragment<m16, n16>;
    static constexpr axis<M> warp_m{Config.warp_m()};
    static constexpr axis<N> warp_n{Config.warp_n()};
    using As = tensor<A, k16 / 16, warp_m / 16>;
    using Bs = tensor<B, k16 / 16, warp_n / 16>;
    using Cs = tensor<C, warp_m / 16, warp_n / 16>;
    using Warp =
        compound_index<axis<M>(Config.m) / Config.warp_m(), axis<N>(Config.n) / Config.warp_n()>;
    // The row that a lane points to for ldmatrix.
    template <class Fragment, bool IsTransposed>
    using rows_of = typename either<IsTransposed, typename Fragment::map::transposed_rows,
                                    typename Fragment::map::rows>::type;
    static_assert(bank_conflicts<typename a_tiles::box, rows_of<A, a_by_lines>>() == 0);
    static_assert(bank_conflicts<typename b_tiles::box, rows_of<B, b_by_lines>>() == 0);

    typename a_tiles::ring a;
    typename b_tiles::ring b;
    lines a_lines, b_lines;
    BATCH batch;
    M first_row;
    N first_column;
    int depth;

    __device__ __forceinline__ explicit block(args const& args) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes()>();
        auto const as = memory.template push<typename a_tiles::ring>();
        a = as.tensor;
        b = as.rest.template push<typename b_tiles::ring>().tensor;
        auto const& [m, n, k, count] = args.sizes;
        int const rows = Config.rows(args.sizes), columns = Config.columns(args.sizes);
        int const number = this_block() % (rows * columns);
        batch = BATCH(this_block() / (rows * columns));
        auto const [row, column] = Config.order()(number, rows, columns);
        first_row = fold<M, Config.m>(row);
        first_column = fold<N, Config.n>(column);
        depth = divup(k, tile_k);
        a_lines = lines_of(args.a, a_by_lines ? k : m, a_by_lines ? m : k);
        b_lines = lines_of(args.b, b_by_lines ? k : n, b_by_lines ? n : k);
    }
    // The rows or columns of the block's matrix of the batch: `count` lines of `width` numbers.
    __device__ lines lines_of(matrix<void const> const& matrix, int count, int width) const {
        auto const* const data = static_cast<unsigned short const*>(matrix.data);
        return {data + batch.get() * matrix.batch, matrix.leading, count, width};
    }
    // Copies both tiles of a step along k to a stage, if there is such a step.
    __device__ __forceinline__ void copy(int step, bounded<STAGE, Config.stages> stage) const {
        if (step < depth) {
            fold<K, tile_k> const k(step);
            copy_tile<a_tiles, M, Config.m, Config.threads(), a_by_lines>(a, stage, a_lines,
                                                                          first_row, k);
            copy_tile<b_tiles, N, Config.n, Config.threads(), b_by_lines>(b, stage, b_lines,
                                                                          first_column, k);
        }
        commit_copies();
    }
};

// Stores two neighbouring sums at a place in the result, `width` of whose columns are left there.
template <class Result>
__device__ void store_pair(Result* destination, vec<float, 2> const& pair, int width) {
    if constexpr (factor<Result>) {
        if (width >= 2) *reinterpret_cast<spio::pair<Result>*>(destination) = {pair[0], pair[1]};
        if (width == 1) *destination = Result(pair[0]);
    } else {
        if (width >= 2) *reinterpret_cast<vec<float, 2>*>(destination) = pair;
        if (width == 1) *destination = pair[0];
    }
}

} // namespace spio::matmul::cp_async
