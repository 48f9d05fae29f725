// What a block may take of an SM, and the registers that fragments take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"

namespace spio::conv2d {

// The greatest number of bytes of shared memory per block on sm_90.
inline constexpr int most_shared_bytes = 227 * 1024;

// The registers per thread that hold fragments of fprop or dgrad: accumulators for r rows of each
// tile of 16 columns, and the filter.
constexpr int fragment_registers(problem const& problem, int tiles) {
    return 4 * problem.r * tiles + problem.taps();
}
// The hardware allocates the registers of a thread in units of 8.
constexpr int allocated_registers(int registers) { return divup(registers, 8) * 8; }

} // namespace spio::conv2d
