// The clock and the power of a GPU, read by NVML while kernels run.
// SPDX-License-Identifier: Apache-2.0
//
// NVML is NVIDIA's library for watching GPUs.
#pragma once

#include "cublas.h"

#include <cstddef>

namespace spio::bench {

struct reading {
    unsigned megahertz = 0, watts = 0;
};

// NVML, opened at run time.
class sensors {
  public:
    explicit sensors(unsigned gpu) {
        expect_success(library_.find<int()>("nvmlInit_v2")(), "nvmlInit");
        auto* const device = library_.find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
        expect_success(device(gpu, &device_), "nvmlDeviceGetHandleByIndex");
    }
    reading read() const {
        constexpr int clock_of_multiprocessors = 1;
        reading now;
        unsigned milliwatts = 0;
        expect_success(clock_(device_, clock_of_multiprocessors, &now.megahertz),
                       "nvmlDeviceGetClockInfo");
        expect_success(power_(device_, &milliwatts), "nvmlDeviceGetPowerUsage");
        now.watts = milliwatts / 1000;
        return now;
    }

  private:
    shared_library library_{"libnvidia-ml.so.1"};
    int (*clock_)(void*, int,
                  unsigned*) = library_.find<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    int (*power_)(void*,
                  unsigned*) = library_.find<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
    void* device_ = nullptr;
};

} // namespace spio::bench
