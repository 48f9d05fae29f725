// The input that a tile of the output reads: the tile under the filter, and the halo around it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"

namespace spio::conv2d {

// The rows of a correlation, or its columns. Output p reads the inputs first(p), first(p) + 1, …
// first(p) + taps - 1.
struct halo {
    int taps;
    int pad;
    int inputs;

    // The number of inputs that a number of neighbouring outputs read.
    constexpr int size(int outputs) const { return outputs + taps - 1; }
    // The first input of an output: negative in the padding before the image.
    constexpr int first(int output) const { return output - pad; }
    constexpr bool has(int input) const { return 0 <= input && input < inputs; }
};
constexpr halo rows_of(correlation const& sizes) { return {sizes.r, sizes.pad_h, sizes.h}; }
constexpr halo columns_of(correlation const& sizes) { return {sizes.s, sizes.pad_w, sizes.w}; }

// The rows and columns of wgrad. wgrad correlates x with the gradient dy of y: row p of dy is
// multiplied with the rows of x that row p of y depends on.
constexpr halo rows_of(problem const& problem) { return {problem.r, problem.pad_h, problem.h}; }
constexpr halo columns_of(problem const& problem) { return {problem.s, problem.pad_w, problem.w}; }

} // namespace spio::conv2d
