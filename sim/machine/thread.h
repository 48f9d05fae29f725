// Who runs: threads, blocks, clusters, and where they meet.
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

// The block's place in its cluster, as one number, and how many blocks that has (sm_90).
int cluster_rank();
int cluster_size();

// The memory that a launch gives each block beyond what the kernel declares.
unsigned char* dynamic_shared();

// All threads of the block.
void sync_block();
// So many threads, whole warps, at one of the barriers 0 to 15: to wait there, or only to be
// counted.
void sync_threads(int barrier, int threads);
void arrive_threads(int barrier, int threads);
// The lanes of a warp that the mask names.
void sync_warp(unsigned lanes);
// All threads of the cluster (sm_90).
void arrive_cluster();
void wait_cluster();

// Waits a little, in a loop that asks for something.
void nap(int nanoseconds);
// A clock that all blocks share, in nanoseconds.
unsigned long long nanoseconds();

} // namespace spio::machine
