// A block of the matrix product by mma.sync: its tiles and fragments, and what it reads and writes.
// SPDX-License-Identifier: Apache-2.0
//
// M and N are the rows and columns of the result, K what the product sums over. axis<D>(n) is the
// dimension D with n values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a
// pointer with axes, outermost first. A subscript is a position along some of its axes, and returns
// a cursor: a place in the tensor, with an address. Problem (the sizes and options of a call) and
// Config (how blocks and warps share it) are known when a kernel is compiled. A compound index is
// one number for several indices, the last of which varies fastest. A stage is one place of a ring
// in shared memory. push<T>() takes room for a tensor T from the block's shared memory, and returns
// it and the rest. Of a matrix, `leading` is the distance of its lines and `batch` that of the
// matrices of a batch, in elements. bounded<D, n> is a value of D below n.
#pragma once

#include "matmul/cp_async.h"
#include "matmul/cp_async_copy.cuh"
#include "spio/tile/mbarrier.cuh"
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
    using rows_of =
        either<IsTransposed, typename Fragment::map::transposed_rows, typename Fragment::map::rows>;
    using a_rows = rows_of<A, a_by_lines>;
    using b_rows = rows_of<B, b_by_lines>;

    using a_copies =
        thread_copies<a_tiles, M, Config.m, Config.threads(), Problem.alignment, a_by_lines>;
    using b_copies =
        thread_copies<b_tiles, N, Config.n, Config.threads(), Problem.alignment, b_by_lines>;

    using ring = ring_position<STAGE, Config.stages>;

    BATCH batch;
    M first_row;
    N first_column;
    int depth;
    typename a_tiles::ring a;
    typename b_tiles::ring b;
    a_copies copies_of_a;
    b_copies copies_of_b;

    // A place of the result: the matrix of the batch, and the first row and column of a tile.
    struct place {
        BATCH batch;
        M row;
        N column;
    };
    __device__ __forceinline__ explicit block(args const& args) : block(args, place_of(args)) {}

    __device__ __forceinline__ void set_up() const {
        if constexpr (Config.has_mbarriers()) {
            if (this_thread() == 0) {
                for (auto const stage : range(mbarriers())) {
                    mbarriers()[stage]->init(Config.threads());
                }
            }
            sync_block();
        }
    }
    // Tells that this thread has issued its copies to a stage.
    __device__ __forceinline__ void end_copies(bounded<STAGE, Config.stages> stage) const {
        if constexpr (!Config.has_mbarriers()) {
            commit_copies();
        } else if constexpr (Problem.alignment >= 4) {
            mbarriers()[stage]->arrive_after_copies();
        } else {
            mbarriers()[stage]->arrive(); // single elements were stored at once
        }
    }
    // Waits until what all threads copied to a stage has come.
    __device__ __forceinline__ void wait_for_tiles(ring const& position) const {
        if constexpr (Config.has_mbarriers()) {
            mbarriers()[position.stage()]->wait(position.parity());
        } else {
            wait_for_copies<Config.copied_ahead() - 1>();
            sync_block();
        }
    }
    // Copies the last tiles along k, which may be incomplete.
    __device__ __forceinline__ void copy_last(bounded<STAGE, Config.stages> stage) const {
#pragma unroll
        for (int n = 0; n < a_copies::count; ++n) copies_of_a.copy_last(n, depth, stage);
#pragma unroll
        for (int n = 0; n < b_copies::count; ++n) copies_of_b.copy_last(n, depth, stage);
    }
    // Copies part number `part`, counted from 0, of the next tiles, which are copied in `parts`.
    __device__ __forceinline__ void copy(int part, int parts, bounded<STAGE, Config.stages> stage) {
        constexpr int count = a_copies::count + b_copies::count;
#pragma unroll
        for (int n = 0; n < count; ++n) {
            if (n < count * part / parts || n >= count * (part + 1) / parts) continue;
            if (n < a_copies::count) {
                copies_of_a.copy(n, stage);
            } else {
                copies_of_b.copy(n - a_copies::count, stage);
            }
        }
    }

  private:
    __device__ block(args const& args, place const& tile)
        : batch(tile.batch),
          first_row(tile.row),
          first_column(tile.column),
          depth(divup(args.sizes.k, tile_k)),
          a(a_memory().tensor),
          b(a_memory().rest.template push<typename b_tiles::ring>().tensor),
          copies_of_a(a,
                      lines_of(args.a, a_by_lines ? args.sizes.k : args.sizes.m,
                               a_by_lines ? args.sizes.m : args.sizes.k),
                      first_row),
          copies_of_b(b,
                      lines_of(args.b, b_by_lines ? args.sizes.k : args.sizes.n,
                               b_by_lines ? args.sizes.n : args.sizes.k),
                      first_column) {}
    __device__ static auto a_memory() {
        return dynamic_shared_memory<Config.shared_bytes()>()
            .template push<typename a_tiles::ring>();
    }
    // The mbarriers, one of each stage. In memory they follow the tiles of factors and sums.
    __device__ static auto mbarriers() {
        using tiles =
            tensor<typename a_tiles::ring::data_type, axis<CELL>(Config.tile_bytes() / 16)>;
        using barriers = tensor<mbarrier<sm_80>, axis<STAGE>(Config.stages)>;
        return dynamic_shared_memory<Config.shared_bytes()>()
            .template push<tiles>()
            .rest.template push<barriers>()
            .tensor;
    }
    __device__ static place place_of(args const& args) {
        int const rows = Config.rows(args.sizes), columns = Config.columns(args.sizes);
        int const number = this_block() % (rows * columns);
        auto const [row, column] = Config.order()(number, rows, columns);
        return {BATCH(this_block() / (rows * columns)), fold<M, Config.m>(row),
                fold<N, Config.n>(column)};
    }
    // The rows or columns of the block's matrix of the batch: `count` lines of `width` numbers.
    __device__ lines lines_of(matrix<void const> const& matrix, int count, int width) const {
        auto const* const data = static_cast<unsigned short const*>(matrix.data);
        return {data + batch.get() * matrix.batch, matrix.leading, count, width};
    }
};

} // namespace spio::matmul::cp_async
