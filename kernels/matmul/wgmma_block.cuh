// A block of the matrix product by wgmma: its shared memory, its barriers and its loads.
// SPDX-License-Identifier: Apache-2.0
//
// A stage of the ring has a tile of a and one of b; the blocks of a cluster share tiles. A tensor
// map is the descriptor by which TMA copies boxes of a tensor. Problem (the sizes and options of a
// call) and Config (how blocks and warps share it) are known when a kernel is compiled. push<T>()
// takes room for a tensor T from the block's shared memory, and returns it and the rest. bounded<D,
// n> is a value of D below n.
#pragma once

#include "matmul/wgmma_tiles.cuh"
#include "spio/tile/launch_control.cuh"

namespace spio::matmul::wgmma {

// `full` and `empty` are barriers of each stage: its tiles have come, and they have been read.
template <problem Problem, config Config, arch Arch> struct block {
    using tiles = block_tiles<Problem, Config, Arch>;

    params const& p;
    typename tiles::cluster_position cluster;
    typename tiles::a::ring a;
    typename tiles::b::ring b;
    typename tiles::d_buffers d;
    typename tiles::barriers full, empty;
    // Of several splits: the sums that others have sent, and barriers of each warpgroup. `received`
    // tells that they have come, `vacant` that all others have read what this block sent.
    typename tiles::inbox inbox;
    typename tiles::group_barriers received, vacant;
    // In ping-pong: whose turn it is to multiply, one barrier for each warpgroup.
    typename tiles::group_barriers turn;

    __device__ __forceinline__ explicit block(params const& params)
        : p(params), cluster(Config.cluster() > 1 ? rank_in_cluster<Arch>() : 0) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const as = memory.template push<typename tiles::a::ring>();
        auto const bs = as.rest.template push<typename tiles::b::ring>();
        auto const ds = bs.rest.template push<typename tiles::d_buffers>();
        auto const fulls = ds.rest.template push<typename tiles::barriers>();
        a = as.tensor;
        b = bs.tensor;
        d = ds.tensor;
        full = fulls.tensor;
        auto const empties = fulls.rest.template push<typename tiles::barriers>();
        empty = empties.tensor;
        if constexpr (Config.splits > 1) {
            auto const inboxes = empties.rest.template push<typename tiles::inbox>();
            auto const receiveds = inboxes.rest.template push<typename tiles::group_barriers>();
            inbox = inboxes.tensor;
            received = receiveds.tensor;
            vacant = receiveds.rest.template push<typename tiles::group_barriers>().tensor;
        }
        if constexpr (Config.ping_pong)
            turn = empties.rest.template push<typename tiles::group_barriers>().tensor;
    }
    __device__ static bool is_producer() {
        return this_warpgroup() == WARPGROUP(Config.consumers());
    }

    // Of several splits: whether this one stores sums, and how many others do.
    __device__ bool is_storing() const { return cluster.split < Config.storing_splits(); }
    __device__ int receivers() const { return Config.storing_splits() - (is_storing() ? 1 : 0); }

    __device__ __forceinline__ void set_up() const {
        if (this_thread() == 0) {
            prefetch<Arch>(map_as<typename tiles::a_map>(p.a));
            prefetch<Arch>(map_as<typename tiles::b_map>(p.b));
            prefetch<Arch>(map_as<typename tiles::d_map>(p.d));
            for (auto const stage : range(full)) {
                full[stage]->init(1);
                empty[stage]->init(Config.readers() * Config.sharers());
            }
            if constexpr (Config.ping_pong) {
                for (auto const group : range(turn)) turn[group]->init(4); // warps
            }
            if constexpr (Config.splits > 1) {
                for (auto const group : range(received)) {
                    received[group]->init(1);
                    vacant[group]->init(max(1, receivers()));
                }
            }
            mbarrier<Arch>::publish();
        }
        let_kernels_after_start<Arch>();
        sync();
    }
    // Loads this block's part of a tile for all blocks of the cluster that share it: the boxes
    // whose numbers, modulo the count of these blocks, are its own number among them.
    template <class Tiles, int Sharers, class Tile, class Map, class Origin>
    __device__ __forceinline__ static void load(Tile const& tile, Map const& map,
                                                Origin const& origin, mbarrier<Arch>& barrier,
                                                int number, unsigned ranks) {
#pragma unroll
        for (int n = 0; n < Tiles::pieces / Sharers; ++n) {
            typename Tiles::Pieces const piece(n * Sharers + number);
            if constexpr (Sharers > 1) {
                multicast_box(tile[piece], map, origin + piece, barrier, ranks);
            } else {
                load_box(tile[piece], map, origin + piece, barrier);
            }
        }
    }
    // Brings this block's part of a tile into the L2 cache.
    template <class Tiles, int Sharers, class Map, class Origin>
    __device__ __forceinline__ static void prefetch_tile(Map const& map, Origin const& origin,
                                                         int number) {
#pragma unroll
        for (int n = 0; n < Tiles::pieces / Sharers; ++n) {
            prefetch_box<Arch>(map, origin + typename Tiles::Pieces(n * Sharers + number));
        }
    }
    // Tells all blocks that share factors with this one that this warpgroup has read a stage.
    __device__ __forceinline__ void release(bounded<STAGE, Config.stages> stage) const {
        int const rank = thread_of_warpgroup();
        if constexpr (Config.sharers() > 1) {
            if (rank < Config.sharers())
                empty[stage]->arrive_in_cluster(rank + cluster.first_sharer());
        } else {
            if (rank == 0) empty[stage]->arrive();
        }
    }
    // In ping-pong: waits until all warps of the other warpgroup have begun the last products of
    // their tile, and tells them the same. The first turn is that of the first warpgroup. Barriers
    // of stages need it, too: their parity tells only two fills of a stage apart. `parity` is that
    // of the number of turns that this warpgroup has had.
    __device__ __forceinline__ void wait_for_turn(int parity) const {
        turn[this_warpgroup()]->wait(parity ^ (this_warpgroup() == WARPGROUP(0) ? 1 : 0));
    }
    __device__ __forceinline__ void pass_turn() const {
        WARPGROUP const other(1 - this_warpgroup().get());
        if (is_first_lane()) turn[other]->arrive();
    }
    // Waits for all threads that use the barriers of this block.
    __device__ __forceinline__ static void sync() {
        if constexpr (Config.cluster() > 1) {
            sync_cluster<Arch>();
        } else {
            sync_block();
        }
    }
};

} // namespace spio::matmul::wgmma
