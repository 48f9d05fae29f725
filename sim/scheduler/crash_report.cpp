// Handles the signals of crashes while kernels run.
// SPDX-License-Identifier: Apache-2.0
//
// Simulated threads run as fibers, flows of control with stacks of their own, on workers, which are
// OS threads. `running` is the simulated thread that this OS thread runs now.
#include "sim/scheduler/crash_report.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace spio::sim {

// The handler has a stack of its own, since that of the thread may have overflowed.
constexpr std::size_t stack_bytes = 64 * 1024;
constexpr int signal_count = 4;
constexpr int signals[signal_count] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// How many workers have asked for the handler, which is one for the process.
static std::mutex handler_mutex;
static int handler_count = 0;
static struct sigaction previous_actions[signal_count];

// Prints which thread has crashed. The signal comes again after it, and ends the program as before.
static void print_report(int signal, siginfo_t* info, void*) {
    for (int i = 0; i < signal_count; i++) {
        if (signals[i] == signal) sigaction(signal, &previous_actions[i], nullptr);
    }
    if (running == nullptr) return;
    auto const& index = running->index;
    auto const& block = running->block->index;
    auto const& worker = worker_of(*running);
    char const* const cause =
        worker.fibers->is_guard(info->si_addr) ? "its stack overflowed" : "a fault";
    char text[400];
    int const length = std::snprintf(
        text, sizeof text, "%s, block (%d, %d, %d), thread (%d, %d, %d): %s (%s) at address %p\n",
        worker.launch->kernel, block.x, block.y, block.z, index.x, index.y, index.z, cause,
        strsignal(signal), info->si_addr);
    [[maybe_unused]] auto const written =
        write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

crash_handler::crash_handler() : stack_(new unsigned char[stack_bytes]) {
    stack_t signal_stack = {};
    signal_stack.ss_sp = stack_.get();
    signal_stack.ss_size = stack_bytes;
    sigaltstack(&signal_stack, &previous_stack_);
    std::lock_guard const lock(handler_mutex);
    if (handler_count++ > 0) return;
    struct sigaction action = {};
    action.sa_sigaction = print_report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < signal_count; i++) sigaction(signals[i], &action, &previous_actions[i]);
}

crash_handler::~crash_handler() {
    {
        std::lock_guard const lock(handler_mutex);
        if (--handler_count == 0) {
            for (int i = 0; i < signal_count; i++) {
                sigaction(signals[i], &previous_actions[i], nullptr);
            }
        }
    }
    sigaltstack(&previous_stack_, nullptr);
}

} // namespace spio::sim
