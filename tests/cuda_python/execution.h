// Runs kernels on a device and by the interpreter, on the same numbers, and compares all bytes.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler. The
// target is a GPU, or the host device, which simulates one on the CPU.
#pragma once

#include "tests/cuda_python/kernels.h"

#include <cstddef>
#include <string>

namespace spio::cuda_python_test {

enum class target { host, gpu };

// What became of one kernel: how many elements were compared, and how they differ.
struct comparison {
    std::string difference; // the first one, or nothing
    std::size_t elements = 0;
    double worst = 0; // the largest relative difference of reals
};

// Elements that are no numbers agree with each other. Reals may differ by a part of their size.
comparison compare(test_kernel const&, target, double tolerance = 0);

// The text of kernels for the host device, to be compiled into a program.
std::string host_text(std::vector<test_kernel> const&);

} // namespace spio::cuda_python_test
