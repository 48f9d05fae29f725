// Says which thread of which kernel it was, should the program die of a fault.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

#include <csignal>
#include <memory>

namespace spio::sim {

// While it lives, faults of this OS thread are told with their kernel, block and thread; then they
// take their course.
class fault_watch {
  public:
    fault_watch();
    fault_watch(fault_watch const&) = delete;
    fault_watch& operator=(fault_watch const&) = delete;
    ~fault_watch();

  private:
    std::unique_ptr<unsigned char[]> stack_; // a fiber's own may be the one that overflowed
    stack_t before_ = {};
};

} // namespace spio::sim
