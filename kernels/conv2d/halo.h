// The input that a tile of the output reads: the tile under the filter, and the halo around it.
// SPDX-License-Identifier: Apache-2.0
//
// A tap is an element of the filter's window. A correlation is what fprop (the forward pass) and
// dgrad (the gradient of the input) compute: an output sums inputs times taps. wgrad computes the
// gradient of the filter from the input x and dy, the gradient of the output y. With a dilation of
// 2, rows are in two phases, each of every second row.
#pragma once

#include "conv2d/problem.h"
#include "spio/number.h"

namespace spio::conv2d {

// One axis of a correlation, its rows or its columns: the filter's window along it, and so many
// inputs in the image. Output p reads the positions that the window has for it. Input i is at the
// position spacing * i; stride, dilation and spacing are 1 or 2.
struct correlated_axis : window {
    int inputs;
    int spacing;

    // Whether a position has an input where the image is endless, and where it ends.
    constexpr bool has_input(int position) const { return position % spacing == 0; }
    constexpr bool is_inside(int position) const {
        return 0 <= position && position < spacing * (inputs - 1) + 1 && has_input(position);
    }
    // The first input at a position or after it.
    constexpr int input_from(int position) const {
        return spacing == 1 ? position : (position + 1) >> 1;
    }

    // The inputs that some neighbouring outputs read, and the first of them. The first output has a
    // number that is a multiple of the spacing; with a spacing of 2, the outputs after it read
    // their inputs under other taps.
    constexpr int first_input(int output) const { return input_from(first_position(output)); }
    constexpr int input_count(int outputs) const {
        return input_from(position_count(outputs) - pad) - first_input(0);
    }
    // The positions from the first that output 0 reads to the first that has an input: 0 or 1.
    constexpr int lead() const { return spacing * first_input(0) + pad; }
    // The first tap of an output under which there is an input; and how many inputs after
    // first_input(0) that one is, for the outputs below the spacing.
    constexpr int first_tap(int output) const { return (pad + output) % spacing; }
    constexpr int input_offset(int output) const {
        return input_from(output - pad + first_tap(output)) - first_input(0);
    }

    // A walk along the axis. Outputs whose numbers differ by a multiple of phases() read positions
    // that differ by a multiple of the dilation. The walk over such a phase takes these positions
    // one after the other, and each output reads neighbouring ones: output n of the phase reads the
    // walk's positions advance() * n to advance() * n + taps - 1. So live_outputs() outputs at most
    // read the same position.
    constexpr int phases() const { return stride == dilation ? 1 : dilation; }
    constexpr int advance() const { return stride == dilation ? 1 : stride; }
    // The inputs from one of the walk's positions that has an input to the next one.
    constexpr int input_step() const { return spacing == 1 ? dilation : 1; }
    // The walk's positions that so many outputs of a phase read.
    constexpr int walk_count(int outputs) const { return advance() * (outputs - 1) + taps; }
    constexpr int live_outputs() const { return divup(taps, advance()); }
};
constexpr correlated_axis rows_of(correlation const& sizes) {
    return {sizes.rows, sizes.h, sizes.spacing_h};
}
constexpr correlated_axis columns_of(correlation const& sizes) {
    return {sizes.columns, sizes.w, sizes.spacing_w};
}

// Whether the taps of a pair may be exchanged for half of the outputs. With a stride of 2, eight
// neighbouring outputs read every second pixel, and these lie in half of the banks of shared
// memory; under the other tap they lie in the other half. So the last four of eight outputs read
// the pair's second tap first.
constexpr bool can_exchange_taps(problem const& problem) {
    return problem.s > 1 && problem.dilation_w == 1 && correlation_of(problem).columns.stride == 2;
}
// The tap of a pair, 0 or 1, that an output reads first.
constexpr int first_tap_of_pair(problem const& problem, int output) {
    return can_exchange_taps(problem) ? output / 4 % 2 : 0;
}

// The axes of wgrad, whose inputs are those of x. Row p of dy, the gradient of y, is multiplied
// with the r rows of x that row p of y depends on; the product with the one under row i of the
// filter adds to the gradient of that row. The same holds for columns.
constexpr correlated_axis rows_of(problem const& problem) {
    return {problem.rows(), problem.h, /*spacing=*/1};
}
constexpr correlated_axis columns_of(problem const& problem) {
    return {problem.columns(), problem.w, /*spacing=*/1};
}

} // namespace spio::conv2d
