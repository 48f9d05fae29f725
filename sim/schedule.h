// Who runs next, and who waits for what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Of the running thread: until another wakes it. False if it was woken only because time passed.
bool wait(wait_reason reason);
// Of the running thread: it asks for something that others may change.
void poll(char const* name);
// Something changed that a thread may ask for.
void note_change(gpu_thread const& thread);
void wake(gpu_thread& thread);
void wake_near(gpu_thread& thread); // by its warp, which goes on first
void end_thread(gpu_thread& thread);

// Runs the threads of the worker's cluster until all have ended; throws launch_stopped.
void run_cluster(gpu_worker& worker);

} // namespace spio::sim
