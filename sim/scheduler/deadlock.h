// Deadlock detection: what happens when no thread of a cluster can run.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is an OS thread that runs the simulated threads of a cluster. A thread polls if it asks
// for a change in a loop; a misuse ends the launch with a report.
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
    // Called when no thread of the cluster is ready. Wakes some threads, or ends the launch with a
    // misuse.
    void resolve();

  private:
    void reset();
    bool time_out_waits();
    [[noreturn]] void raise(misuse kind);

    gpu_worker& worker_;
    unsigned long long changes_ = 0; // the launch's count of changes, when last read
    unsigned long long polls_ = 0;   // since the last change
    int rounds_ = 0;                 // since the last change
    bool is_stuck_ = false;          // counted among the stuck workers of the launch
};

// Describes what each thread of a block waits for. Threads that do the same are named together.
std::string describe_threads(gpu_block const& block);

// Draws what the threads of a block do when one of them has done something wrong: a character for
// each thread, a row for each warp.
std::string draw_threads(gpu_thread const& faulty);

} // namespace spio::sim
