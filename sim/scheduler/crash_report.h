// Crash reports: which thread of which kernel runs when the program dies of a signal.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU within this process: a wrong access of a kernel that is not found
// before it is made can end the process.
#pragma once

#include "sim/gpu.h"

#include <csignal>
#include <memory>

namespace spio::sim {

// While this object lives, a SIGSEGV, SIGBUS, SIGFPE or SIGILL prints the kernel, block and thread
// that the OS thread runs. The previous handler of the signal then takes over.
class crash_handler {
  public:
    crash_handler();
    crash_handler(crash_handler const&) = delete;
    crash_handler& operator=(crash_handler const&) = delete;
    ~crash_handler();

  private:
    std::unique_ptr<unsigned char[]> stack_; // of the handler: the thread's may have overflowed
    stack_t previous_stack_ = {};
};

} // namespace spio::sim
