// How the splits of a matrix product by wgmma add up their sums, through shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// With several splits, the k that a tile of the result sums over is divided among the blocks of a
// cluster (a split-K product), and each block then has sums of the whole tile. The blocks exchange
// them here: some or all of them store a part of the columns each. A block sends these the sums of
// their columns, and gets its own columns of the others in its inbox, one place for each SOURCE
// (another block), THREAD and QUAD (four neighbouring sums, which one store takes). The barrier
// `received` counts the bytes that come; `vacant` tells that the others have read what was sent for
// the tile before. One warpgroup exchanges only with the same warpgroup of other blocks.
// numbers_below<n> is the list 0, 1, … n - 1 of template arguments.
#pragma once

#include "matmul/wgmma_block.cuh"
#include "spio/tile/cluster_store.cuh"

namespace spio::matmul::wgmma {

// Four neighbouring sums of a thread, from the First on.
template <int First, class Fragment> __device__ vec<float, 4> four_sums(Fragment const& sums) {
    auto const& values = sums.values[0]; // the only 64 rows: splits exclude ping-pong
    return {values[First], values[First + 1], values[First + 2], values[First + 3]};
}

// The exchange of a warpgroup's sums over the blocks of its cluster, each of which has summed its
// part of k. A block stores some of the columns: of these it gets the other blocks' sums, and adds
// all in the order of the blocks, so that results have the same bits every time. They are added to
// a few columns at a time, just before these are stored, since a thread has no registers for two
// copies of its sums.
template <problem Problem, config Config, arch Arch> struct split_exchange {
    using tiles = block_tiles<Problem, Config, Arch>;
    using fragment = typename tiles::fragment;
    static constexpr int sent_bytes = 16 * 128 * tiles::quads * (Config.splits - 1);

    block<Problem, Config, Arch> const& home;
    int thread, own; // this thread of the warpgroup, and the split of this block

    __device__ explicit split_exchange(block<Problem, Config, Arch> const& block)
        : home(block), thread(thread_of_warpgroup()), own(block.cluster.split) {}

    // The inbox for this thread's sums from a block, in another one.
    __device__ auto inbox(int sender, int receiver) const {
        SOURCE const source(sender < receiver ? sender : sender - 1);
        return home.inbox[this_warpgroup()][THREAD(thread)][source];
    }
    template <int Split, int... Quad>
    __device__ void send(fragment const& sums, numbers<Quad...>) const {
        if (Split == own) return;
        (store_in_cluster(inbox(own, Split)[QUAD(Quad)],
                          four_sums<4 * (Split * tiles::quads + Quad)>(sums),
                          *home.received[this_warpgroup()], home.cluster.rank_of(Split)),
         ...);
    }
    // Sends the sums of one tile to the blocks that store them, and waits for those of this block.
    // `parity` is that of the tile's number.
    template <int... Split>
    __device__ void begin(fragment const& sums, int parity, numbers<Split...>) const {
        auto& received = *home.received[this_warpgroup()];
        if (home.is_storing() && thread == 0) received.arrive_and_expect(sent_bytes);
        if (home.receivers() > 0) home.vacant[this_warpgroup()]->wait(parity ^ 1);
        (send<Split>(sums, numbers_below<tiles::quads>()), ...);
        if (home.is_storing()) received.wait(parity);
    }
    // Adds the other blocks' sums to this thread's of 16 columns, one of those parts of the tile
    // that this block stores.
    template <class Part> __device__ void add(Part& columns, int part) const {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            QUAD const quad((2 * part + half) % tiles::quads);
            auto& left = columns.registers[2 * half];
            auto& right = columns.registers[2 * half + 1];
            vec<float, 4> const mine = {left[0], left[1], right[0], right[1]};
            vec<float, 4> total = {};
#pragma unroll
            for (int split = 0; split < Config.splits; ++split) {
                auto const addend = split == own ? mine : *inbox(split, own)[quad];
                for (int i = 0; i < 4; ++i) total[i] += addend[i];
            }
            left = {total[0], total[1]};
            right = {total[2], total[3]};
        }
    }
    // Tells the other blocks that this one has read what they sent.
    __device__ void end() const {
        sync_warpgroup();
        if (home.is_storing() && thread < Config.splits && thread != own)
            home.vacant[this_warpgroup()]->arrive_in_cluster(home.cluster.rank_of(thread));
    }
};

} // namespace spio::matmul::wgmma
