// What estimates must know of the chips that an architecture's code runs on.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"

export module spio.conv2d:chip;

import spio.spec;

namespace spio::conv2d {

// Of a GPU of that architecture; times in microseconds.
struct chip {
    int processors;
    double clock;     // cycles a microsecond
    double memory;    // bytes a microsecond, of a copy
    double product;   // cycles of a quarter of a processor for 16 x 8 x 16
    double row;       // from one row to the next, for each product and eight besides
    double latency;   // of a read from memory
    double launch;    // of a kernel, and of its first and last blocks
    int shared_bytes; // of a processor
    bool has_copy_engine = false;
};

// Fitted to times on an H200, of which those of bench/results are told to 11 % on the average, but
// gradients of the filter for few images for up to 2.4 times as long as they take. What an A100, an
// RTX 3090 and an RTX 4090 have is taken from their data sheets, and not fitted. Chips to come,
// which text is for, and others that are not here are taken to be as fast as the H200, and to have
// as little shared memory as any.
constexpr chip chip_of(arch arch) {
    if (arch.number == 86) return {82, 1700, 0.85e6, 32, 0.008, 1.3, 4, 100 * 1024};
    if (arch.number == 89) return {128, 2500, 0.92e6, 32, 0.006, 1.3, 4, 100 * 1024};
    chip fastest = {132, 1750, 4.46e6, 6.2, 0.0077, 1.38, 3.6, 228 * 1024, true};
    if (arch.number == 90 && (arch.suffix == 'a' || !arch.is_ptx)) return fastest;
    if (arch.is_host || (arch.number == 80 && !arch.is_ptx))
        return {108, 1400, 1.4e6, 8.5, 0.009, 1.3, 4, 164 * 1024};
    fastest.shared_bytes = 100 * 1024;
    fastest.has_copy_engine = false;
    return fastest;
}

// What a block may take of it.
constexpr int most_shared(arch arch) {
    return arch.is_host ? 227 * 1024 : chip_of(arch).shared_bytes - 1024;
}

// Throws for architectures that have not what kernels need.
void expect_chip(problem const&, arch, bool copy_engine, int shared_bytes);

} // namespace spio::conv2d
