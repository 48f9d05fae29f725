// The scheduler: runs the threads of a cluster as fibers, and lets them wait for each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Suspends the running thread until it is woken: for the reason, or because time has passed.
void wait(wait_reason const& reason);
// Suspends the running thread, which asks repeatedly for something that others may change.
void poll(char const* name);
// Suspends the running thread, which spins on reads, as if it polled.
void suspend_spinning(gpu_thread& thread);
inline void count_read(gpu_thread& thread, void const* address) {
    if (thread.spins.count(address)) suspend_spinning(thread);
}
// Says that something changed for which a thread may poll.
void note_change(gpu_thread const& thread);

void wake(gpu_thread& thread);
// Wakes a lane whose warp has completed a collective: it runs before other warps.
void wake_lane(gpu_thread& thread);
// The running thread returns from the kernel.
void end_thread(gpu_thread& thread);

// Runs the threads of the worker's cluster until all have ended; throws launch_stopped.
void run_threads(gpu_worker& worker);

} // namespace spio::sim
