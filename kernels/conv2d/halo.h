// The input that a tile of the output reads: the tile under the filter, and the halo around it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"

namespace spio::conv2d {

// One axis of a correlation, its rows or its columns, with `taps` taps of the filter along it and
// `inputs` inputs in the image. Output p reads the inputs first_input(p), first_input(p) + 1, …
// first_input(p) + taps - 1.
struct correlated_axis {
    int taps;
    int pad;
    int inputs;

    // The number of inputs that a number of neighbouring outputs read, those in the padding
    // included.
    constexpr int input_count(int outputs) const { return outputs + taps - 1; }
    // The first input of an output: negative in the padding before the image.
    constexpr int first_input(int output) const { return output - pad; }
    constexpr bool is_inside(int input) const { return 0 <= input && input < inputs; }
};
constexpr correlated_axis rows_of(correlation const& sizes) {
    return {sizes.r, sizes.pad_h, sizes.h};
}
constexpr correlated_axis columns_of(correlation const& sizes) {
    return {sizes.s, sizes.pad_w, sizes.w};
}

// The axes of wgrad, whose inputs are those of x. Row p of dy, the gradient of y, is multiplied
// with the r rows of x that row p of y depends on; the product with row first_input(p) + i adds to
// the gradient of the filter's row i. The same holds for columns.
constexpr correlated_axis rows_of(problem const& problem) {
    return {problem.r, problem.pad_h, problem.h};
}
constexpr correlated_axis columns_of(problem const& problem) {
    return {problem.s, problem.pad_w, problem.w};
}

} // namespace spio::conv2d
