// The clock and the power of a GPU, read by NVML while kernels run.
// SPDX-License-Identifier: Apache-2.0
//
// NVML is NVIDIA's library for watching GPUs. It numbers all GPUs of a machine, also those that
// CUDA_VISIBLE_DEVICES hides from CUDA; a GPU's UUID is the same in both.
#pragma once

#include "cublas.h"

#include <array>
#include <cstddef>
#include <string>

namespace spio::bench {

// The clock of the multiprocessors, and what the whole board draws.
struct reading {
    unsigned megahertz = 0, watts = 0;
};

// NVML, opened at run time.
class sensors {
  public:
    explicit sensors(std::array<unsigned char, 16> const& uuid) {
        expect_success(library_.find<int()>("nvmlInit_v2")(), "nvmlInit");
        auto* const device = library_.find<int(char const*, void**)>("nvmlDeviceGetHandleByUUID");
        expect_success(device(text_of_uuid(uuid).c_str(), &device_), "nvmlDeviceGetHandleByUUID");
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
    // Functions of NVML, by their names.
    int (*clock_)(void*, int,
                  unsigned*) = library_.find<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    int (*power_)(void*,
                  unsigned*) = library_.find<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
    void* device_ = nullptr;

    // GPU-00112233-4455-6677-8899-aabbccddeeff
    static std::string text_of_uuid(std::array<unsigned char, 16> const& uuid) {
        constexpr char const* digits = "0123456789abcdef";
        std::string text = "GPU-";
        for (std::size_t i = 0; i < uuid.size(); ++i) {
            if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
            text += digits[uuid[i] / 16];
            text += digits[uuid[i] % 16];
        }
        return text;
    }
};

} // namespace spio::bench
