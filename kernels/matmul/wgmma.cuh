// The matrix product by TMA and wgmma, with persistent blocks.
// SPDX-License-Identifier: Apache-2.0
//
//     a, b    global --TMA, multicast in the cluster--> a ring of tiles in shared memory
//     sums    tiles --wgmma--> 64 rows of the block's tile in the registers of each warpgroup
//     result  sums --epilogue, stmatrix--> buffers in shared memory --TMA--> d
//
// With several splits, each block of a cluster sums over a part of k, and adds the sums of the
// others (split_exchange) before the epilogue. The last warpgroup is the producer, the others
// consume. For each stage (a place of the ring), an mbarrier `full` tells the consumers that both
// tiles have come, and `empty` tells the producers of all blocks of the cluster that the consumers
// of this block have read them. Stores of a tile go on while the next tile is computed. In
// ping-pong each of two consumers computes whole tiles: one multiplies while the other one stores.
// numbers_below<n> is the list 0, 1, … n - 1 of template arguments. origin() is a tensor's cursor
// at position zero. described<M>(tile) is what wgmma takes for a factor whose rows are M: its
// matrix descriptor.
#pragma once

#include "matmul/wgmma_store.cuh"

namespace spio::matmul::wgmma {

// Loads the tiles of all stages, as far ahead as there are empty ones. One lane calls TMA. Every
// second tile is passed backwards along k, since the L2 cache still holds the end of the last one.
// The first tiles are brought into the L2 cache while kernels before this one still run. Consumers
// access global memory only when tiles have come, and so after these kernels.
template <problem Problem, config Config, arch Arch>
__device__ __forceinline__ void produce(block<Problem, Config, Arch> const& block) {
    using tiles = block_tiles<Problem, Config, Arch>;
    auto const& a_map = map_as<typename tiles::a_map>(block.p.a);
    auto const& b_map = map_as<typename tiles::b_map>(block.p.b);
    auto const& cluster = block.cluster;
    typename tiles::ring ring;
    bool is_backward = false;
    typename tiles::schedule schedule(block.p.sizes, cluster);
    if (schedule.has_tile()) {
        auto const tile = schedule.tile();
        // Blocks of a large grid begin when others end, and soon load what they would prefetch.
        constexpr int few_blocks = 66; // half the SMs of an H200
        int const prefetched = blocks_of_grid() <= few_blocks ? Config.stages / 2 : 1;
#pragma unroll 1
        for (int n = 0; n < min(schedule.depth(), prefetched); ++n) {
            fold<K, tile_k> const k(cluster.split * schedule.depth() + n);
            block.template prefetch_tile<typename tiles::a, Config.cluster_n>(
                a_map, make_coordinates(tile.batch, tile.row, k), cluster.column);
            block.template prefetch_tile<typename tiles::b, Config.cluster_m>(
                b_map, make_coordinates(tile.batch, tile.column, k), cluster.row);
        }
    }
    wait_for_kernels_before<Arch>();
    for (; schedule.has_tile(); schedule.advance()) {
        auto const tile = schedule.tile();
        int const depth = schedule.depth();
        for (int n = 0; n < depth; ++n) {
            fold<K, tile_k> const k(cluster.split * depth + (is_backward ? depth - 1 - n : n));
            auto& full = *block.full[ring.stage()];
            block.empty[ring.stage()]->wait(ring.parity() ^ 1);
            full.arrive_and_expect(tiles::stage_bytes);
            block.template load<typename tiles::a, Config.cluster_n>(
                block.a[ring.stage()], a_map, make_coordinates(tile.batch, tile.row, k), full,
                cluster.column, cluster.ranks_of_a);
            block.template load<typename tiles::b, Config.cluster_m>(
                block.b[ring.stage()], b_map, make_coordinates(tile.batch, tile.column, k), full,
                cluster.row, cluster.ranks_of_b);
            ++ring;
        }
        is_backward = !is_backward;
    }
}

// Computes the rows of a warpgroup in all tiles of the block; in ping-pong, every second tile.
template <problem Problem, config Config, arch Arch, class Epilogue>
__device__ __forceinline__ void consume(block<Problem, Config, Arch> const& block,
                                        Epilogue const& epilogue) {
    using tiles = block_tiles<Problem, Config, Arch>;
    fold<M, 64> const first_row(Config.ping_pong ? 0 : this_warpgroup().get());
    auto const a = described<M>(block.a[first_row]);
    auto const b = described<N>(block.b.origin());
    typename tiles::ring ring;
    typename tiles::buffer_ring buffers;
    int parity = 0;
    typename tiles::schedule schedule(block.p.sizes, block.cluster);
    // A stage is released if a later step fills it: no other block waits for it otherwise, and that
    // may have ended.
    int filled_again = schedule.steps() - Config.stages;
    auto const release = [&](auto stage) {
        if (filled_again-- > 0) block.release(stage);
    };
    auto const leave_tile = [&] { // to the other warpgroup
        ring += schedule.depth();
        filled_again -= schedule.depth();
        schedule.advance();
    };
    if (Config.ping_pong && this_warpgroup() == WARPGROUP(1)) leave_tile();
    while (schedule.has_tile()) {
        typename tiles::sum sum;
        if constexpr (Config.ping_pong) block.wait_for_turn(parity);
        auto previous = ring.stage();
        for (int k = 0; k < schedule.depth(); ++k) {
            block.full[ring.stage()]->wait(ring.parity());
            {
                product_group group(sum, /*accumulates=*/k > 0);
                multiply(group, a[ring.stage()], b[ring.stage()]);
            }
            sum.template wait<1>();
            if (k > 0) release(previous);
            previous = ring.stage();
            ++ring;
        }
        if constexpr (Config.ping_pong) block.pass_turn();
        auto const& fragment = sum.finished();
        release(previous);
        using exchange = split_exchange<Problem, Config, Arch>;
        if constexpr (Config.splits > 1) {
            exchange(block).begin(fragment, parity, numbers_below<Config.storing_splits()>());
        }
        using stores = wgmma::stores<Problem, Config, Arch, Epilogue>;
        stores{block, fragment, schedule.tile(), buffers, epilogue}.run(
            numbers_below<stores::boxes>());
        parity ^= 1;
        schedule.advance();
        if constexpr (Config.ping_pong) leave_tile();
        if constexpr (Config.splits > 1) {
            if (schedule.has_tile()) exchange(block).end();
        }
    }
    if (thread_of_warpgroup() == 0) wait_for_bulk_reads<Arch>();
}

template <problem Problem, config Config, arch Arch, class Epilogue>
__device__ __forceinline__ void run(params const& p, Epilogue const& epilogue) {
    static_assert(!Config.ping_pong || Config.has_registers_in_turns(changes_sums<Epilogue>),
                  "in ping-pong, an epilogue needs registers that these tiles leave no room for");
    block<Problem, Config, Arch> const block(p);
    block.set_up();
    if (block.is_producer()) {
        if constexpr (Config.moves_registers()) shrink_registers<Arch, Config.producer_registers>();
        if (thread_of_warpgroup() == 0) produce(block);
        sync_warp();
    } else {
        if constexpr (Config.moves_registers()) grow_registers<Arch, Config.consumer_registers()>();
        consume(block, epilogue);
    }
}
template <problem Problem, config Config, arch Arch = sm_90a>
__device__ __forceinline__ void run(params const& p) {
    run<Problem, Config, Arch>(p, standard_epilogue<Problem>{p.sizes, p.bias, p.c});
}

} // namespace spio::matmul::wgmma
