// The registers of a thread that fragments take.
// SPDX-License-Identifier: Apache-2.0
//
// A fragment is the part of a matrix that one warp's tensor-core instruction (mma) takes from
// registers; accumulators are the fragments that sums are added to. fprop and dgrad (the gradient
// of its input) hold both the filter's fragments and the accumulators for a whole kernel. The
// estimate of a kernel's registers begins from these.
#pragma once

#include "conv2d/problem.h"
#include "spio/launch_values.h"

namespace spio::conv2d {

// The registers per thread that hold fragments of fprop or dgrad: the filter, and accumulators for
// so many rows of the output, each of so many mma tiles, which are 16 columns.
constexpr int fragment_registers(problem const& problem, int rows, int mma_tiles) {
    return 4 * rows * mma_tiles + problem.taps();
}
// The hardware allocates the registers of a thread in units of 8.
constexpr int allocated_registers(int registers) { return divup(registers, 8) * 8; }

} // namespace spio::conv2d
