// Running a test case on a device, and comparing the outputs of two devices.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// Memory has guards around each array, and is full of bytes 0xff at first.
#pragma once

#include "trial.h"

namespace spio::test {

// What a case left on a device: outputs that must be the same on every other, and complaints.
struct outcome {
    std::vector<trial::output> outputs;
    std::vector<std::string> complaints; // the first few
    long long failed = 0;
    long long expectations = 0;
    double milliseconds = 0;

    // Complains of each output that has other bits than on another device, or that only one has.
    void compare(outcome const& other, std::string const& device_name);
};
// Runs a case, and catches what it throws.
outcome run_on(device& device, test_case const& test, effort spent);

// One line, then the complaints if there are any.
//     pass axpby              host            224018 expectations, 24 outputs, 130.2 ms
void print(test_case const& test, std::string const& device_name, outcome const& result);

} // namespace spio::test
