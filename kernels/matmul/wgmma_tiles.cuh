// The tiles of a block in the matrix product by wgmma: their layouts, tensor maps and positions.
// SPDX-License-Identifier: Apache-2.0
//
// M and N are the rows and columns of the result, K what the product sums over. axis<D>(n) is the
// dimension D with n values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a
// pointer with axes, outermost first. A subscript is a position along some of its axes, and returns
// a cursor: a place in the tensor, with an address. Problem (the sizes and options of a call) and
// Config (how blocks and warps share it) are known when a kernel is compiled. A swizzle exchanges
// cells by their row, so that lanes read different banks. A stage is one place of a ring in shared
// memory.
#pragma once

#include "matmul/factor_tiles.cuh"
#include "matmul/wgmma_schedule.cuh"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/warp.cuh"
#include "spio/tile/warpgroup.cuh"

namespace spio::matmul::wgmma {

// A buffer for rows of the result.
struct BUFFER : dim {
    using dim::dim;
};

// What a block gets from the other splits: SOURCE counts these, QUAD the fours of neighbouring sums
// that a THREAD of a warpgroup holds.
struct SOURCE : dim {
    using dim::dim;
};
struct QUAD : dim {
    using dim::dim;
};
struct THREAD : dim {
    using dim::dim;
};

// Layouts, maps and positions of the factors a and b and of the result d.
template <problem Problem, config Config, arch Arch>
    requires(Config.fits(Problem))
struct block_tiles {
    using T = typename factor_of<Problem.type>::type;
    using result = typename result_of<Problem.result>::type;
    using cell = vec<T, 8>;
    static constexpr int piece_a = Config.piece_a(Problem);
    static constexpr int piece_b = Config.piece_b(Problem);
    using a = factor_tiles<cell, M, Config.m, piece_a, Config.stages, Problem.a == order::columns>;
    using b = factor_tiles<cell, N, Config.n, piece_b, Config.stages, Problem.b == order::rows>;
    using a_map = tensor_map<typename a::box, typename a::global>;
    using b_map = tensor_map<typename b::box, typename b::global>;
    static constexpr int stage_bytes = Config.stage_bytes();

    // The result passes through buffers of every warpgroup, boxes of 64 rows.
    static constexpr int columns = Config.result_columns(Problem);
    static constexpr int cell_columns = 16 / Problem.result_bytes();
    using result_cell = vec<result, cell_columns>;
    static constexpr axis<WARPGROUP> warpgroup{Config.consumers()};
    static constexpr axis<BUFFER> buffer{Config.used_buffers(Problem)};
    static constexpr axis<M> m{64};
    static constexpr axis<N> n{columns};
    // TMA swizzles 8 rows of 8 cells: a shorter line leaves room for several rows in each.
    static constexpr int cells = columns / cell_columns;
    static constexpr auto line = swizzle(n / cell_columns, m / (8 / cells) % cells);
    using d_box = tensor<result_cell, m, line>;
    using d_buffers = tensor<result_cell, warpgroup, buffer, m, line>;
    using d_global = tensor<result_cell, axis<BATCH>(dynamic), axis<M>(dynamic),
                            axis<N>(dynamic) / cell_columns>;
    using d_map = tensor_map<d_box, d_global>;

    using barriers = tensor<mbarrier<Arch>, axis<STAGE>(Config.stages)>;
    using group_barriers = tensor<mbarrier<Arch>, warpgroup>;
    // The sums that a warpgroup stores: some of its columns, if there are several splits.
    static constexpr int quads = Config.stored_columns() / 8;
    using inbox = tensor<vec<float, 4>, warpgroup, axis<SOURCE>(max(1, Config.splits - 1)),
                         axis<QUAD>(quads), axis<THREAD>(128)>;
    using ring = ring_position<STAGE, Config.stages>;
    using buffer_ring = ring_position<BUFFER, Config.used_buffers(Problem)>;
    static constexpr axis<M> sum_m{Config.consumer_rows()};
    static constexpr axis<N> sum_n{Config.n};
    using sum = warpgroup_sum<Arch, sum_m, sum_n>;
    using fragment = warpgroup_fragment<sum_m, sum_n>;

    using cluster_position = wgmma::cluster_position<Config>;
    using tile_position = wgmma::tile_position<Config>;
    using schedule = tile_schedule<Config>;
};

} // namespace spio::matmul::wgmma
