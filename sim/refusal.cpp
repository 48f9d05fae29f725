// Takes down the first misuse of a launch, and stops it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/refusal.h"

#include <cstdarg>
#include <cstdio>

namespace spio::sim {

static void take_down_list(gpu_thread const& whose, misuse kind, char const* format,
                           va_list arguments) {
    auto& launch = launch_of(whose);
    std::lock_guard const lock(launch.reporting);
    if (launch.found) return;
    char sentence[1024];
    std::vsnprintf(sentence, sizeof sentence, format, arguments);
    launch.found = {kind, launch.shape.name, whose.block->at, whose.at, sentence};
    launch.stopped = true;
}

void take_down(gpu_thread const& whose, misuse kind, char const* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    take_down_list(whose, kind, format, arguments);
    va_end(arguments);
}

void stop() {
    if (running == nullptr) throw launch_stopped{};
    auto& flows = *worker_of(*running).flows;
    running = nullptr;
    flows.leave();
}

void refuse(gpu_thread const& whose, misuse kind, char const* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    take_down_list(whose, kind, format, arguments);
    va_end(arguments);
    stop();
}

} // namespace spio::sim
