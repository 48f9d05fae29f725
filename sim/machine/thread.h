// Threads, blocks and clusters: their indices, their sizes and their barriers.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/thread.h.
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

// cluster_rank is the number of the block in its cluster; cluster_size is the number of blocks in
// the cluster (sm_90).
int cluster_rank();
int cluster_size();

// The dynamic shared memory of the block.
unsigned char* dynamic_shared();

// Waits for all threads of the block.
void sync_block();
// Arrives at named barrier `barrier`, 0 to 15, which completes when `threads` threads, a multiple
// of 32, have arrived. sync_threads waits until it completes; arrive_threads does not wait.
void sync_threads(int barrier, int threads);
void arrive_threads(int barrier, int threads);
// Waits until all lanes of the mask `lanes` have called it.
void sync_warp(unsigned lanes);
// arrive_cluster arrives at the barrier of the cluster; wait_cluster waits until all threads of the
// cluster have arrived (sm_90).
void arrive_cluster();
void wait_cluster();

// Sleeps for about `nanoseconds`, inside a loop that polls. In the simulator other threads run
// meanwhile, and no time is measured.
void nap(int nanoseconds);
// A clock that all blocks share, in nanoseconds.
unsigned long long nanoseconds();

} // namespace spio::machine
