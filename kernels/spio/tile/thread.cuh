// The typed position of this thread in its block and grid, and barriers among threads.
// SPDX-License-Identifier: Apache-2.0
//
// A fold counts a dimension in blocks: fold<I, 64>(2) is the third block of 64 along I.
#pragma once

#include "machine/thread.h"
#include "spio/coords.h"
#include "spio/tile/arch.h"
#include "spio/tile/shared_memory.h"

namespace spio {

inline constexpr unsigned all_lanes = 0xffffffff;

// A warp of a block.
struct WARP : dim {
    using dim::dim;
};

// The number of this thread in its block, and of the block in the grid, both of one dimension.
//     a[Block(this_block())][Thread(this_thread())]
__device__ inline int this_thread() { return machine::thread_index().x; }
__device__ inline int this_block() { return machine::block_index().x; }
__device__ inline int blocks_of_grid() { return machine::grid_size().x; }
// The position of the block in a grid of two dimensions.
//     a[this_block<fold<I, 64>, fold<J, 64>>()]
template <index Across, index Down> __device__ auto this_block() {
    auto const block = machine::block_index();
    return coords<Across, Down>(Across(block.x), Down(block.y));
}
__device__ inline auto this_lane() { return bounded<LANE, 32>(machine::lane_index()); }
__device__ inline WARP this_warp() {
    return WARP(static_cast<int>(static_cast<unsigned>(this_thread()) / 32));
}

// The block's dynamic shared memory, as the launch sized it.
template <int Bytes> __device__ auto dynamic_shared_memory() {
    return shared_memory<Bytes>(machine::dynamic_shared());
}

__device__ inline void sync_block() { machine::sync_block(); }
__device__ inline void sync_warp() { machine::sync_warp(all_lanes); }

// The rank of this block in its cluster, and a barrier of all threads of the cluster.
template <arch Arch>
    requires has_bulk_copies<Arch>
__device__ inline int rank_in_cluster() {
    return machine::cluster_rank();
}
template <arch Arch>
    requires has_bulk_copies<Arch>
__device__ inline void sync_cluster() {
    machine::arrive_cluster();
    machine::wait_cluster();
}

// A named barrier among some warps of a block. Number 0 is that of sync_block.
template <int Number, int Threads>
    requires(Number > 0 && Number < 16 && Threads > 0 && Threads % 32 == 0 && Threads <= 1024)
struct named_barrier {
    __device__ static void wait() { machine::sync_threads(Number, Threads); }
    // Counts this thread without waiting.
    __device__ static void arrive() { machine::arrive_threads(Number, Threads); }
};

} // namespace spio
