// Grouped convolution with groups of 8 channels: its dimensions, problems and launch arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"
#include "spio/tile/half.h"

namespace spio::conv2d {

// Images of a batch: N. Channels, rows and columns of the input: C, H, W. Those of the output: K,
// P, Q. Rows and columns of the filter: R, S.
struct N : dim {
    using dim::dim;
};
struct C : dim {
    using dim::dim;
};
struct H : dim {
    using dim::dim;
};
struct W : dim {
    using dim::dim;
};
struct K : dim {
    using dim::dim;
};
struct P : dim {
    using dim::dim;
};
struct Q : dim {
    using dim::dim;
};
struct R : dim {
    using dim::dim;
};
struct S : dim {
    using dim::dim;
};
// Floats of a workspace.
struct FLOAT : dim {
    using dim::dim;
};

inline constexpr int group_width = 8;

// fprop   y from x and the filter
// dgrad   the gradient of x, from that of y and the filter
// wgrad   the gradient of the filter, from x and the gradient of y
enum class direction { fprop, dgrad, wgrad };

// The sizes that a kernel is compiled for. The launch brings the others: n, or n, h and w. The
// problem has values of these too, for which the configuration is chosen.
enum class known_sizes { all, any_n, any_image };

// The type of the weight gradient's elements.
enum class precision { fp32, fp16 };

// x is n h w c and y is n p q c, in halves. The filter is c r s 8: a channel of y reads the 8
// channels of x in its group. fprop adds the bias, in floats; wgrad computes its gradient.
struct problem {
    int n, c, h, w;
    int r = 3, s = 3;
    int pad_h = 1, pad_w = 1;
    bool bias = false;
    direction pass = direction::fprop;
    known_sizes made_for = known_sizes::all;
    precision gradient = precision::fp32;

    constexpr int p() const { return h + 2 * pad_h - r + 1; }
    constexpr int q() const { return w + 2 * pad_w - s + 1; }
    constexpr int groups() const { return c / group_width; }
    constexpr int taps() const { return r * s; }

    constexpr bool knows_n() const { return made_for == known_sizes::all; }
    constexpr bool knows_image() const { return made_for != known_sizes::any_image; }
    // The same problem with zeros for the sizes that the launch brings: one kernel has one
    // spelling.
    constexpr problem without_unknown() const {
        problem known = *this;
        if (!knows_n()) known.n = 0;
        if (!knows_image()) known.h = known.w = 0;
        return known;
    }
    constexpr problem with(int images, int height, int width) const {
        problem resized = *this;
        resized.n = images;
        resized.h = height;
        resized.w = width;
        return resized;
    }

    // Each field has its own bounds; this one is on several of them.
    constexpr bool has_outputs() const { return p() >= 1 && q() >= 1; }
};

// fprop and dgrad are both a correlation of an input with a filter: the output at (p, q) is the sum
// over the taps (r, s) of the input at (p + r - pad_h, q + s - pad_w). The input of fprop is x.
// That of dgrad is the gradient of y, and its filter is turned by 180 degrees; its padding may be
// negative, so that the outermost input takes no part.
struct correlation {
    int h, w; // of the input
    int p, q; // of the output
    int r, s;
    int pad_h, pad_w;
    bool is_backward;
};
constexpr correlation correlation_of(problem const& problem) {
    if (problem.pass == direction::dgrad) {
        return {.h = problem.p(),
                .w = problem.q(),
                .p = problem.h,
                .q = problem.w,
                .r = problem.r,
                .s = problem.s,
                .pad_h = problem.r - 1 - problem.pad_h,
                .pad_w = problem.s - 1 - problem.pad_w,
                .is_backward = true};
    }
    return {.h = problem.h,
            .w = problem.w,
            .p = problem.p(),
            .q = problem.q(),
            .r = problem.r,
            .s = problem.s,
            .pad_h = problem.pad_h,
            .pad_w = problem.pad_w,
            .is_backward = false};
}

// Tensors as a launch passes them: dense, each beginning at a multiple of 16 bytes.
inline constexpr axis<C> c_of_group{group_width};
using input_tensor =
    tensor<half const, axis<N>(dynamic), axis<H>(dynamic), axis<W>(dynamic), axis<C>(dynamic)>;
using output_tensor =
    tensor<half, axis<N>(dynamic), axis<P>(dynamic), axis<Q>(dynamic), axis<K>(dynamic)>;
template <class T>
using filter_of = tensor<T, axis<K>(dynamic), axis<R>(dynamic), axis<S>(dynamic), c_of_group>;
template <class T> using bias_of = tensor<T, axis<K>(dynamic)>;
using floats = tensor<float, axis<FLOAT>(dynamic)>;

// The arguments of fprop and dgrad. Padding may be multiplied as zeros, so a NaN or an infinity of
// the filter, or of the gradient of y, may reach outputs whose padding it meets.
//     fprop   input is x, output is y; there is a bias where the problem has one
//     dgrad   input is the gradient of y and output that of x, as H, W and P, Q of the correlation
struct correlation_args {
    input_tensor input;
    filter_of<half const> filter;
    bias_of<float const> bias = {};
    output_tensor output;
};
// The arguments of wgrad. The workspace has as many floats as the configuration says, and need not
// be cleared. The gradient of the filter is in floats or halves; that of the bias is written where
// the problem has one.
template <class Gradient> struct wgrad_args {
    input_tensor x;
    tensor<half const, axis<N>(dynamic), axis<P>(dynamic), axis<Q>(dynamic), axis<K>(dynamic)> dy;
    filter_of<Gradient> dw;
    bias_of<float> dbias = {};
    floats workspace = {};
};

} // namespace spio::conv2d
