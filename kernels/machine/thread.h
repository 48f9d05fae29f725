// Threads, blocks and clusters: their indices, their sizes and their barriers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

struct extent3 {
    int x, y, z;
};

__device__ inline extent3 thread_index() {
    extent3 index;
    asm("mov.u32 %0, %%tid.x;" : "=r"(index.x));
    asm("mov.u32 %0, %%tid.y;" : "=r"(index.y));
    asm("mov.u32 %0, %%tid.z;" : "=r"(index.z));
    return index;
}
__device__ inline extent3 block_size() {
    extent3 size;
    asm("mov.u32 %0, %%ntid.x;" : "=r"(size.x));
    asm("mov.u32 %0, %%ntid.y;" : "=r"(size.y));
    asm("mov.u32 %0, %%ntid.z;" : "=r"(size.z));
    return size;
}
__device__ inline extent3 block_index() {
    extent3 index;
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(index.x));
    asm("mov.u32 %0, %%ctaid.y;" : "=r"(index.y));
    asm("mov.u32 %0, %%ctaid.z;" : "=r"(index.z));
    return index;
}
__device__ inline extent3 grid_size() {
    extent3 size;
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(size.x));
    asm("mov.u32 %0, %%nctaid.y;" : "=r"(size.y));
    asm("mov.u32 %0, %%nctaid.z;" : "=r"(size.z));
    return size;
}
__device__ inline int lane_index() {
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// The number of the block in its cluster, and the number of blocks of the cluster (sm_90).
__device__ inline int cluster_rank() {
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline int cluster_size() {
    int size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

// The dynamic shared memory of the block.
__device__ inline unsigned char* dynamic_shared() {
    extern __shared__ __align__(1024) unsigned char spio_dynamic_shared[];
    return spio_dynamic_shared;
}

// Waits for all threads of the block.
__device__ inline void sync_block() { asm volatile("barrier.sync 0;" ::: "memory"); }
// Arrives at one of the named barriers 0 to 15. The barrier completes when `threads` threads, a
// whole number of warps, have arrived. sync_threads waits for this; arrive_threads does not.
__device__ inline void sync_threads(int barrier, int threads) {
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ inline void arrive_threads(int barrier, int threads) {
    asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
// Waits for the lanes of the mask.
__device__ inline void sync_warp(unsigned lanes) {
    asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory");
}
// Arrives at the barrier of the cluster, and waits for all threads of the cluster (sm_90).
__device__ inline void arrive_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void wait_cluster() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Sleeps for a short time in a loop that polls.
__device__ inline void nap(int nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
// A clock that all blocks share, in nanoseconds.
__device__ inline unsigned long long nanoseconds() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

} // namespace spio::machine
