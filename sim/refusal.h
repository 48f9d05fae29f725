// How a launch ends at a misuse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Thrown where no fiber runs; a fiber is left instead.
struct launch_stopped {};

// Takes down what the thread did wrong, unless something went wrong before.
void take_down(gpu_thread const& whose, misuse kind, char const* format, ...)
    __attribute__((format(printf, 3, 4)));
// Leaves the fiber for good.
[[noreturn]] void stop();
// Both. The caller must own nothing: its frame is not unwound.
[[noreturn]] void refuse(gpu_thread const& whose, misuse kind, char const* format, ...)
    __attribute__((format(printf, 3, 4)));

} // namespace spio::sim
