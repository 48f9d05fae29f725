// What a block may take of an SM, and the registers that fragments take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"

namespace spio::conv2d {

// Bytes of shared memory that a block may have on sm_90.
inline constexpr int most_shared_bytes = 227 * 1024;

// Registers of a thread that hold fragments of fprop or dgrad: accumulators for r rows of each tile
// of 16 columns, and the filter.
constexpr int fragment_registers(problem const& problem, int tiles) {
    return 4 * problem.r * tiles + problem.taps();
}
// Registers are allocated in eights.
constexpr int allocated_registers(int registers) { return divup(registers, 8) * 8; }

} // namespace spio::conv2d
