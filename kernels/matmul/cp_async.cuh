// The matrix product by cp.async and mma.sync, for every chip from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a or b of the product. A fragment is the part of a matrix operand that a lane holds.
// M and N are the rows and columns of the result, K what the product sums over; fold<K, 16> counts
// K in blocks of 16. Problem (the sizes and options of a call) and Config (how blocks and warps
// share it) are known when a kernel is compiled. numbers_below<n> is the list 0, 1, … n - 1 of
// template arguments.
//
//     a, b    global --cp.async--> a ring of tiles in shared memory
//     sums    tiles --ldmatrix--> fragments, those of the next step while this one is multiplied
//     result  sums --> a tile in shared memory --epilogue--> d
//
// All threads copy tiles, as many ahead as there are stages, less one, some cells between the
// products of each part of a step. One barrier for each tile tells that all threads' copies have
// come, and that the oldest stage may be overwritten.
#pragma once

#include "matmul/cp_async_store.cuh"

namespace spio::matmul::cp_async {

// Loads fragments from a tile by ldmatrix, each from the lane's row at the same position.
template <bool IsTransposed, class Part, class Tile>
__device__ __forceinline__ void load(Part const& part, Tile const& tile) {
#pragma unroll
    for (auto const position : range(part)) {
        if constexpr (IsTransposed) {
            part[position]->load_transposed(tile[position]);
        } else {
            part[position]->load(tile[position]);
        }
    }
}

// The epilogue changes the sums before they are stored, see epilogue.cuh.
template <problem Problem, config Config, class Epilogue>
__device__ __forceinline__ void run(params const& p, Epilogue const& epilogue) {
    using Block = block<Problem, Config>;
    using A = typename Block::A;
    using B = typename Block::B;
    using C = typename Block::C;
    constexpr int steps = tile_k / 16;
    Block block(p.args);
    typename Block::Warp const warp(this_warp().get());
    // The rows in the tiles that this lane gives to ldmatrix.
    auto const a_rows =
        block
            .a[warp][for_lane<typename Block::template rows_of<A, Block::a_by_lines>>(this_lane())];
    auto const b_rows =
        block
            .b[warp][for_lane<typename Block::template rows_of<B, Block::b_by_lines>>(this_lane())];

    // In registers: the warp's sums, and of each factor the fragments of two steps.
    C c_data[Block::Cs::storage_size()];
    A a_data[2][Block::As::storage_size()];
    B b_data[2][Block::Bs::storage_size()];
    typename Block::Cs const c(c_data);
    for (C& fragment : c_data) fragment.zero();
    auto const load_step = [&](int buffer, bounded<STAGE, Config.stages> stage, int step) {
        load<Block::a_by_lines>(typename Block::As(a_data[buffer]),
                                a_rows[stage][bounded<fold<K, 16>, steps>(step)]);
        load<Block::b_by_lines>(typename Block::Bs(b_data[buffer]),
                                b_rows[stage][bounded<fold<K, 16>, steps>(step)]);
    };

    // Products begin with the last tiles along k.
    using stage = bounded<STAGE, Config.stages>;
    block.copy_last(stage(0));
    commit_copies();
    for (int n = 1; n < Config.stages - 1; ++n) {
        block.copy(0, 1, n < block.depth, stage(n));
        commit_copies();
    }
    // The stage that is multiplied, and the one that is overwritten.
    int reading = 0, writing = Config.stages - 1;
    wait_for_copies<Config.stages - 2>();
    sync_block();
    load_step(0, stage(0), 0);
#pragma unroll 1
    for (int k = 0; k < block.depth; ++k) {
        // A step multiplies 16 of the tile's places along k. The last one goes on to the next
        // stage, whose first fragments it loads. Its number is a constant, because fragments are
        // in registers only if the compiler knows which of the two buffers has them.
        bool const has_next = k + Config.stages - 1 < block.depth;
        auto const multiply_step = [&]<int Step>(numbers<Step>) {
            if constexpr (Step == steps - 1) {
                writing = reading;
                reading = reading + 1 == Config.stages ? 0 : reading + 1;
                commit_copies();
                wait_for_copies<Config.stages - 2>();
                sync_block();
            }
            load_step((Step + 1) % 2, stage(reading), (Step + 1) % steps);
            if constexpr (Step < steps - 1) block.copy(Step, steps - 1, has_next, stage(writing));
            multiply(c, typename Block::As(a_data[Step % 2]), typename Block::Bs(b_data[Step % 2]));
        };
        [&]<int... Step>(numbers<Step...>) {
            (multiply_step(numbers<Step>()), ...);
        }(numbers_below<steps>());
    }
    wait_for_copies<0>();

    sync_block();
    stores<Problem, Config> const stores(block, p.args);
    stores.write(c, warp);
    sync_block();
    stores.run(epilogue);
}
template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    run<Problem, Config>(p, standard_epilogue<Problem>{p.args.sizes, p.args.bias, p.args.c});
}

} // namespace spio::matmul::cp_async
