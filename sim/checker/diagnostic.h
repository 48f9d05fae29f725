// Diagnostics: how a misuse is recorded, and how it ends the launch.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call of a simulated thread that breaks a rule of the GPU. Such a
// thread runs as a fiber: a flow of control with a stack of its own. A thread that is abandoned
// never runs again.
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Ends the work of an OS thread after a misuse. It is thrown only where no fiber runs.
struct launch_stopped {};

// Records what the thread did wrong, unless the launch has recorded a misuse before.
void record_misuse(gpu_thread const& thread, misuse kind, char const* format, ...)
    __attribute__((format(printf, 3, 4)));
// Leaves the running fiber and never resumes it, or throws launch_stopped where no fiber runs.
[[noreturn]] void abandon_thread();
// Records a misuse and abandons the running thread. The caller's stack frame is not unwound, so it
// must own nothing that a destructor would release.
[[noreturn]] void raise_misuse(gpu_thread const& thread, misuse kind, char const* format, ...)
    __attribute__((format(printf, 3, 4)));

} // namespace spio::sim
