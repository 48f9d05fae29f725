// The matrix product by cp.async and mma.sync, for every chip from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a or b of the product. A fragment is the part of a matrix operand that a lane holds.
// M and N are the rows and columns of the result, K what the product sums over; fold<K, 16> counts
// K in blocks of 16. Problem (the sizes and options of a call) and Config (how blocks and warps
// share it) are known when a kernel is compiled. numbers_below<n> is the list 0, 1, … n - 1 of
// template arguments. bounded<D, n> is a value of D below n; for_lane<rows>(lane) is the row that a
// lane gives to ldmatrix.
//
//     a, b    global --cp.async--> a ring of tiles in shared memory
//     sums    tiles --ldmatrix--> fragments, those of the next step while this one is multiplied
//     result  sums --> a tile in shared memory --epilogue--> d
//
// All threads copy tiles, some cells between the products of each part of a step. From four stages
// on, tiles are copied as many steps ahead as half the stages, and an mbarrier of each stage tells
// that what all threads copied there has come. A thread arrives at it when it has read the tile
// that it multiplies. So whoever sees a tile come knows that all have read the one half a ring
// before, which is copied over next. With fewer stages, a barrier of the block tells both.
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
    auto const a_rows = block.a[warp][for_lane<typename Block::a_rows>(this_lane())];
    auto const b_rows = block.b[warp][for_lane<typename Block::b_rows>(this_lane())];

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
    // If all tiles take less than the ring, no other stage may be read, not even in vain.
    int const used = Config.has_mbarriers() ? Config.stages : min(Config.stages, block.depth);
    typename Block::ring reading(used), writing(used);
    auto const copied = [&] {
        block.end_copies(writing.stage());
        ++writing;
    };
    block.set_up();
    block.copy_last(writing.stage());
    copied();
    for (int n = 1; n < Config.copied_ahead(); ++n) {
        if (n < block.depth) block.copy(/*part=*/0, /*parts=*/1, writing.stage());
        copied();
    }
    block.wait_for_tiles(reading);
    load_step(0, reading.stage(), 0);
#pragma unroll 1
    for (int k = 0; k < block.depth; ++k) {
        // A step multiplies 16 of the tile's places along k, and loads the fragments of the next
        // step: the last one those of the next stage. The loop is unrolled, because fragments are
        // in registers only if the compiler knows which of the two buffers has them.
        bool const has_next = k + Config.copied_ahead() < block.depth;
        auto const multiply_step = [&](int step) {
            if (step < steps - 1) {
                load_step((step + 1) % 2, reading.stage(), step + 1);
                if (has_next) block.copy(step, steps - 1, writing.stage());
            } else {
                if (has_next || !Config.has_mbarriers()) copied();
                ++reading;
                // Without mbarriers, the last step waits and loads, too: a branch takes more time.
                if (k + 1 < block.depth || !Config.has_mbarriers()) {
                    block.wait_for_tiles(reading);
                    load_step((step + 1) % 2, reading.stage(), 0);
                }
            }
            multiply(c, typename Block::As(a_data[step % 2]), typename Block::Bs(b_data[step % 2]));
        };
        [&]<int... Step>(numbers<Step...>) { (multiply_step(Step), ...); }(numbers_below<steps>());
    }

    sync_block();
    stores<Problem, Config, Epilogue> const stores(block, p.args, epilogue);
    stores.write(c, warp);
    sync_block();
    stores.run();
}
template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    run<Problem, Config>(p, standard_epilogue<Problem>{p.args.sizes, p.args.bias, p.args.c});
}

} // namespace spio::matmul::cp_async
