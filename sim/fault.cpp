// Handles the signals of faults while kernels run.
// SPDX-License-Identifier: Apache-2.0
#include "sim/fault.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace spio::sim {

constexpr std::size_t stack_bytes = 64 * 1024;
constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

static std::mutex installing;
static int watches = 0;
static struct sigaction before[4];

static void tell_fault(int signal, siginfo_t* info, void*) {
    for (int i = 0; i < 4; i++) {
        if (signals[i] == signal) sigaction(signal, &before[i], nullptr);
    }
    if (running == nullptr) return;
    auto const& thread = *running;
    auto const& worker = worker_of(thread);
    auto const& block = thread.block->at;
    bool const overflow = worker.flows->is_guard(info->si_addr);
    char text[400];
    int const length = std::snprintf(
        text, sizeof text, "%s, block (%d, %d, %d), thread (%d, %d, %d): %s (%s) at address %p\n",
        worker.launch->shape.name, block.x, block.y, block.z, thread.at.x, thread.at.y, thread.at.z,
        overflow ? "its stack overflowed" : "a fault", strsignal(signal), info->si_addr);
    [[maybe_unused]] auto const written =
        write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

fault_watch::fault_watch() : stack_(new unsigned char[stack_bytes]) {
    stack_t mine = {};
    mine.ss_sp = stack_.get();
    mine.ss_size = stack_bytes;
    sigaltstack(&mine, &before_);
    std::lock_guard const lock(installing);
    if (watches++ > 0) return;
    struct sigaction action = {};
    action.sa_sigaction = tell_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < 4; i++) sigaction(signals[i], &action, &before[i]);
}

fault_watch::~fault_watch() {
    {
        std::lock_guard const lock(installing);
        if (--watches == 0) {
            for (int i = 0; i < 4; i++) sigaction(signals[i], &before[i], nullptr);
        }
    }
    sigaltstack(&before_, nullptr);
}

} // namespace spio::sim
