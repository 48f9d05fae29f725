// The copy engine: what it still has to do for a cluster, and how it does it, late.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// One task, the first or, where the order is shuffled, any. False if there is none.
bool engine_step(gpu_worker& worker);

// What a block leaves behind when its threads have ended.
void end_block(gpu_block& block);

// All bulk stores of a thread that it did not wait for.
void finish_stores(gpu_thread& thread);

// What cp.async of a thread copies, unless it is there already.
void bring_copies(gpu_thread& thread, copy_group const& copies, moment when);

// Reads from global memory what an asynchronous copy brings, as late as now.
void bring(gpu_block& block, int to, unsigned char const* from, int bytes);

} // namespace spio::sim
