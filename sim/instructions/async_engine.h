// The asynchronous engine: performs what cp.async and the TMA were asked for, some time later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Performs the oldest operation of the cluster, or any if the order is shuffled. False if there is
// none.
bool perform_async_operation(gpu_worker& worker);
// Checks what a block has left unfinished when its threads have ended, and completes its stores.
void end_async_operations(gpu_block& block);

// Performs cp.async copies of a thread that are not complete yet, as of an epoch of the thread.
void complete_copies(gpu_thread& thread, copy_group const& copies, epoch_number epoch);
// Completes the bulk stores of a thread that has ended. It must have waited until they had read
// shared memory.
void complete_stores(gpu_thread& thread);
// Writes bytes that an asynchronous copy brings to shared memory. A null source stands for zeros.
void write_copied(gpu_block& block, int destination, unsigned char const* source, int bytes);

} // namespace spio::sim
