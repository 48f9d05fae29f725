// Parts of the estimate of a convolution's time that do not depend on the body, a kernel template.
// SPDX-License-Identifier: Apache-2.0
//
// A residual is a tensor that is added to the output, a preactivation the value before the
// activation, which dgrad (the gradient of the input) reads for the activation's derivative. A wave
// is as many blocks as the chip runs at a time. A tap is an element of the filter's window.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"

#include <algorithm>
#include <cmath>

module spio.conv2d:estimate_parts;

import :choice;
import :fitted;
import :powers;
import spio.spec;

namespace spio::conv2d {

inline constexpr int most_registers = 255; // per thread
// The most registers per thread for the accumulators and the filter of cp_async, so that enough are
// left for the rest.
inline constexpr int most_held_registers = 144;
inline constexpr int most_warps = 16; // of a block of cp_async
// Whether blocks of cp_async may be chosen: the kernel can compute the problem, threads have
// registers for it, and an SM has the shared memory.
inline bool is_admitted(problem const& problem, cp_async::config const& config, chip const& chip) {
    return config.fits(problem) && config.held_registers(problem) <= most_held_registers &&
           config.warps() <= most_warps &&
           config.shared_bytes(problem) <= chip.shared_bytes - reserved_shared_bytes;
}

// Registers that ptxas may use per thread: fewer if config.blocks asks for several blocks per SM.
inline int registers_of(problem const& problem, cp_async::config const& config, chip const& chip) {
    constexpr int unit = 8; // a thread's registers are allocated in eights
    int const threads = config.threads(problem);
    int const most = config.blocks > 0 ? chip.sm_registers / (config.blocks * threads) / unit * unit
                                       : most_registers;
    return std::max(unit, std::min({config.registers(problem), most, most_registers}));
}
// A quotient of sizes, rounded up. Without SSE4.1, which compilers may not assume, std::ceil is a
// function call.
inline double rounded_up(double quotient) {
    if (!(quotient < 0x1p53)) return std::ceil(quotient);
    auto const truncated = static_cast<double>(static_cast<long long>(quotient));
    return truncated < quotient ? truncated + 1 : truncated;
}
// The number of waves that the last blocks are part of. A little is taken off first, so that a
// whole number with an error of rounding is not rounded up.
inline double whole_waves(double waves) { return rounded_up(waves - 1e-9); }

// Bytes of all tensors, each moved once.
inline double tensor_bytes(problem const& problem, correlation const& sizes) {
    int const inputs = problem.has_derivative() ? 2 : 1;
    int const outputs = 1 + (problem.residual ? 1 : 0) + (problem.preactivation ? 1 : 0);
    double const pixels = 1.0 * inputs * sizes.h * sizes.w + 1.0 * outputs * sizes.p * sizes.q;
    return 2.0 * problem.c * (problem.n * pixels + group_width * problem.taps());
}

inline bool is_same(cp_async::config const& a, cp_async::config const& b) {
    return a.groups == b.groups && a.images == b.images && a.columns == b.columns &&
           a.rows == b.rows && a.mma_tiles == b.mma_tiles && a.stages == b.stages &&
           a.blocks == b.blocks && a.unrolled == b.unrolled;
}

// Whether two configurations have the same tiles for the same groups, and copy them the same way.
inline bool is_same(tma::config const& a, tma::config const& b) {
    return a.groups == b.groups && a.images == b.images && a.columns == b.columns &&
           a.rows == b.rows && a.whole_rows == b.whole_rows;
}

// The matrix products that the taps of a filter need for one row of y, in units of those of a pair.
inline double products_of_row(problem const& problem) {
    return problem.r * (problem.s / 2 + fitted.lone_tap_products * (problem.s % 2));
}
// The time of three parts that overlap: a norm of them, a little more than the longest.
inline double overlapped(estimate const& parts) {
    auto const power = [](double time) { return time * time * time * time * time; };
    static_assert(fitted.overlap_sharpness == 5);
    double const sum = power(parts.traffic) + power(parts.arithmetic) + power(parts.latency);
    return exp2_of(log2_of(sum) / fitted.overlap_sharpness);
}

} // namespace spio::conv2d
