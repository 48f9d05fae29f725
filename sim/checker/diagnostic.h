// Diagnostics: how a misuse is recorded, and how it ends the launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Ends the work of an OS thread after a misuse. It is thrown only where no fiber runs.
struct launch_stopped {};

// Records what the thread did wrong, unless the launch has recorded a misuse before.
void record_misuse(gpu_thread const& thread, misuse kind, char const* format, ...)
    __attribute__((format(printf, 3, 4)));
// Leaves the fiber for good, or throws launch_stopped where no fiber runs.
[[noreturn]] void abandon_thread();
// Records and abandons. The caller must own nothing: its frame is not unwound.
[[noreturn]] void raise_misuse(gpu_thread const& thread, misuse kind, char const* format, ...)
    __attribute__((format(printf, 3, 4)));

} // namespace spio::sim
