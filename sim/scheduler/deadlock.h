// Deadlock detection: what happens when no thread of a cluster can run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Lets threads that poll ask again, and lets waits of bounded time end. If that changes nothing,
// the launch ends with a misuse that says which thread waits for what.
class deadlock_detector {
  public:
    explicit deadlock_detector(gpu_worker& worker) : worker_(worker) {}
    deadlock_detector(deadlock_detector const&) = delete;
    deadlock_detector& operator=(deadlock_detector const&) = delete;
    ~deadlock_detector() { reset(); }
    // Called when no thread is ready. Wakes some, or raises the misuse.
    void resolve();

  private:
    void reset();
    bool time_out_waits();
    [[noreturn]] void raise(misuse kind);

    gpu_worker& worker_;
    unsigned long long changes_ = 0; // of the launch, when last seen
    unsigned long long polls_ = 0;   // since the last change
    int rounds_ = 0;                 // since the last change
    bool is_stuck_ = false;          // counted among the stuck workers of the launch
};

// Says what each thread of a block does, threads that do the same together.
std::string describe_threads(gpu_block const& block);

} // namespace spio::sim
