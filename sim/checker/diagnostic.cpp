// Records the first misuse of a launch, and stops the launch.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU. A simulated thread runs as a
// fiber, a flow of control with a stack of its own, which is abandoned after a misuse. `running` is
// the simulated thread that this OS thread runs now.
#include "sim/checker/diagnostic.h"

#include "sim/scheduler/deadlock.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace spio::sim {

// Keeps a misuse for the report if it is the launch's first one, and stops the launch.
static void record(gpu_thread const& thread, misuse kind, char const* format, va_list arguments) {
    auto& launch = launch_of(thread);
    auto const* const code = std::exchange(accessing_code, nullptr);
    std::lock_guard const lock(launch.report_mutex);
    if (launch.first_misuse) return;
    char sentence[1024];
    std::vsnprintf(sentence, sizeof sentence, format, arguments);
    launch.first_misuse = {kind, launch.kernel, thread.block->index, thread.index, sentence};
    launch.drawing = draw_threads(thread);
    launch.faulty_code = code;
    launch.is_stopped = true;
}

void record_misuse(gpu_thread const& thread, misuse kind, char const* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record(thread, kind, format, arguments);
    va_end(arguments);
}

void abandon_thread() {
    if (running == nullptr) throw launch_stopped{};
    auto& fibers = *worker_of(*running).fibers;
    running = nullptr;
    fibers.leave();
}

void raise_misuse(gpu_thread const& thread, misuse kind, char const* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record(thread, kind, format, arguments);
    va_end(arguments);
    abandon_thread();
}

} // namespace spio::sim
