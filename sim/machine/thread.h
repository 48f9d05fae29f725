// Threads, blocks and clusters: their indices, their sizes and their barriers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

struct extent3 {
    int x, y, z;
};

extent3 thread_index();
extent3 block_size();
extent3 block_index();
extent3 grid_size();
int lane_index();

// The number of the block in its cluster, and the number of blocks of the cluster (sm_90).
int cluster_rank();
int cluster_size();

// The dynamic shared memory of the block.
unsigned char* dynamic_shared();

// Waits for all threads of the block.
void sync_block();
// Arrives at one of the barriers 0 to 15, which so many threads complete (whole warps): and waits
// for them, or goes on.
void sync_threads(int barrier, int threads);
void arrive_threads(int barrier, int threads);
// Waits for the lanes of the mask.
void sync_warp(unsigned lanes);
// Arrives at the barrier of the cluster, and waits for all threads of the cluster (sm_90).
void arrive_cluster();
void wait_cluster();

// Sleeps for a short time in a loop that polls.
void nap(int nanoseconds);
// A clock that all blocks share, in nanoseconds.
unsigned long long nanoseconds();

} // namespace spio::machine
