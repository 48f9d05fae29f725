// The scheduler: runs the threads of a cluster as fibers, and lets them wait for each other.
// SPDX-License-Identifier: Apache-2.0
//
// A fiber is a flow of control with a stack of its own. A worker is an OS thread that runs
// clusters. A misuse breaks a rule of the GPU and ends the launch. A collective is an operation
// that lanes of a warp perform together.
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Suspends the running thread until another thread wakes it, or until the time limit of its wait
// has passed. Reports of deadlocks give the reason.
void wait(wait_reason const& reason);
// Called by a thread that asks for something in a loop, for example whether an mbarrier's phase is
// complete: lets other threads run first. Reports give the name of the operation.
void poll(char const* name);
// Suspends a thread that spins on plain reads, as poll does.
void suspend_spinning(gpu_thread& thread);
// Counts a read by the running thread. If the thread only reads the same few addresses again and
// again, lets other threads run.
inline void count_read(gpu_thread& thread, void const* address) {
    if (thread.spins.count(address)) suspend_spinning(thread);
}
// Records that the thread changed something for which another thread may poll. The deadlock
// detector reads the count of these changes.
void count_change_by(gpu_thread const& thread);

// Called by a thread that has done something wrong, before it says what: lets all others run that
// can, until they wait or end.
void let_others_run();

void wake(gpu_thread& thread);
// Wakes a lane whose warp has completed a collective. The lane runs before other threads, unless
// launch_options::seed shuffles their order.
void wake_lane(gpu_thread& thread);
// Called when `thread` returns from the kernel.
void end_thread(gpu_thread& thread);

// Runs the threads of the worker's cluster until all have ended. Throws launch_stopped if a misuse
// has ended the launch.
void run_threads(gpu_worker& worker);

} // namespace spio::sim
