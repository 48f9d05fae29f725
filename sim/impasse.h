// What is left to do when no thread of a cluster can go on by itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Lets those who poll ask again, and waits of bounded time end; refuses when that changes nothing.
class impasse {
  public:
    explicit impasse(gpu_worker& worker) : worker_(worker) {}
    impasse(impasse const&) = delete;
    impasse& operator=(impasse const&) = delete;
    ~impasse() { go_on(); }
    void resolve();

  private:
    void go_on();
    bool end_waits();
    [[noreturn]] void refuse_all(misuse kind);

    gpu_worker& worker_;
    unsigned long long changes_ = 0;
    unsigned long long polls_ = 0; // since something changed
    int rounds_ = 0;
    bool counted_ = false; // among the stuck
};

} // namespace spio::sim
