// A filter's window along one dimension: the inputs that an output reads, as numbers.
// SPDX-License-Identifier: Apache-2.0
//
// windows.h has views of tensors that are made with it.
#pragma once

namespace spio {

// The window has `taps` positions, `dilation` apart, and moves by `stride` from one output to the
// next: output p reads the positions stride * p + dilation * tap - pad. `pad` positions before the
// first input and as many behind the last are padding, which is not stored. A view of windows has
// no negative padding.
struct window {
    int taps = 1;
    int stride = 1;
    int dilation = 1;
    int pad = 0;

    // The position under the first tap of an output: negative in the padding before the inputs.
    constexpr int first_position(int output) const { return stride * output - pad; }
    constexpr int position(int output, int tap) const {
        return first_position(output) + dilation * tap;
    }
    // The number of positions from the first to the last that neighbouring outputs read, those in
    // the padding included.
    constexpr int position_count(int outputs) const {
        return stride * (outputs - 1) + dilation * (taps - 1) + 1;
    }
    // The number of outputs whose windows lie in the inputs and their padding.
    constexpr int outputs(int inputs) const {
        int const rest = inputs - (position_count(1) - 2 * pad);
        return rest < 0 ? 0 : static_cast<int>(static_cast<unsigned>(rest) / stride) + 1;
    }
    constexpr bool is_valid() const { return taps > 0 && stride > 0 && dilation > 0 && pad >= 0; }

    // The window by which the gradients of inputs are summed from those of outputs. These lie
    // `stride` positions apart, and the taps are in reverse order.
    constexpr window transposed() const {
        return {taps, /*stride=*/1, dilation, /*pad=*/position_count(1) - 1 - pad};
    }
};

} // namespace spio
