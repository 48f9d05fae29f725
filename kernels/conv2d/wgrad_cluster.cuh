// The sum over the splits of wgrad within a cluster of blocks, in shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient dw of the filter. A split is a share of the rows of all images, and a block
// has the sums of one split; the blocks of a cluster have all splits of the same groups of 8
// channels. A PAIR is two taps of the filter, whose gradients one accumulator has: four floats for
// each lane. Problem (the sizes and options of a call) and Config (how blocks and warps share it)
// are known when a kernel is compiled.
//
//     sums    accumulators -> the inbox of the block that stores them, in the cluster
//     inbox   shared memory: the sums of all splits, added in their order -> global dw and dbias
//
// The accumulators of a block are numbered group by group, pair by pair. The blocks of a cluster
// take them in turn, so that each block stores about as many; the number of a sum in its inbox is
// its SLOT.
#pragma once

#include "conv2d/wgrad_consumer.cuh"
#include "spio/tile/cluster_store.cuh"

namespace spio::conv2d::wgrad_tma {

using namespace wgrad;

struct SLOT : dim {
    using dim::dim;
};

template <problem Problem, auto Config>
using cluster_inbox = tensor<vec<float, 4>, axis<SLOT>(Config.inbox_slots(Problem)),
                             axis<SPLIT>(Config.cluster), axis<LANE>(32)>;

// The accumulators that come to the block of a split: those whose number modulo the cluster's
// blocks is the split's.
template <problem Problem, auto Config> __device__ constexpr int received_sums(SPLIT split) {
    return (Config.sums_of_block(Problem) - split.get() + Config.cluster - 1) / Config.cluster;
}

template <problem Problem, auto Config, class Block> struct cluster_sum {
    static constexpr int pairs = pairs_of(Problem).count();

    Block const& block;

    // Sends the sums of a warp to the blocks that store them.
    template <class WarpTaps> __device__ void send(WarpTaps const& warp) const {
        int const first = warp.group().get() * pairs;
        warp.sums.each_sum([&](int pair, vec<float, 4> const& sum) {
            int const number = first + pair;
            store_in_cluster(
                block.inbox[SLOT(number / Config.cluster)][block.part.split][this_lane()], sum,
                *block.received[STAGE(0)], number % Config.cluster);
        });
    }
    // Adds what has come, and stores the gradients.
    template <class Params> __device__ void store(Params const& p) const {
        block.received[STAGE(0)]->wait(0);
        int const count = received_sums<Problem, Config>(block.part.split);
#pragma unroll 1
        for (int slot = this_warp().get(); slot < count; slot += Config.consumer_warps()) {
            auto const sums = block.inbox[SLOT(slot)][this_lane()];
            vec<float, 4> total = *sums[SPLIT(0)];
#pragma unroll
            for (int split = 1; split < Config.cluster; ++split) {
                auto const addend = *sums[SPLIT(split)];
                for (int n = 0; n < 4; ++n) total[n] += addend[n];
            }
            int const number = slot * Config.cluster + block.part.split.get();
            fold<K, 8> const group(block.part.slice.get() * Config.groups + number / pairs);
            if (group >= fold<K, 8>(Problem.groups())) continue;
            store_gradient<Problem>(p, group, number % pairs, this_lane(), total);
        }
    }
};

} // namespace spio::conv2d::wgrad_tma
