// The asynchronous engine performs bulk loads, and arrivals after cp.async copies, some time later.
// SPDX-License-Identifier: Apache-2.0
//
// A bulk load is a copy by the TMA engine. A worker is an OS thread that runs clusters, one after
// the other. An epoch is a thread's accesses between two releases; misuse breaks a rule of the GPU.
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Performs one pending operation: the oldest of the first block of the cluster that has any, or a
// random one if the launch has a seed. Returns whether there was one to perform.
bool perform_async_operation(gpu_worker& worker);
// Called when all threads of a block have ended: reports loads that are unfinished or that nobody
// has waited for, and completes the bulk stores.
void end_async_operations(gpu_block& block);

// Performs those cp.async copies of a thread that are not complete yet. For the race detector they
// happen in the given epoch of the thread.
void complete_copies(gpu_thread& thread, copy_group const& copies, epoch_number epoch);
// Completes the bulk stores of a thread that has ended. It is a misuse if the thread has not waited
// until they had read shared memory.
void complete_stores(gpu_thread& thread);
// Writes `bytes` bytes of an asynchronous copy to shared memory, from `source` or, if that is null,
// zeros; they are initialised from then on.
void write_copied(gpu_block& block, int destination, unsigned char const* source, int bytes);

} // namespace spio::sim
