// Grouped convolution with groups of 8 channels: its dimensions, problems, and the walk behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"
#include "spio/tile/half.h"

namespace spio::conv2d {

// An image of a batch; the channels, rows and columns that are read, and those that are made; the
// rows and columns of the filter.
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
// A float of a workspace.
struct FLOAT : dim {
    using dim::dim;
};

inline constexpr int group_width = 8;

// fprop   y of x and the filter
// dgrad   the gradient of x, of that of y and the filter
// wgrad   the gradient of the filter, of x and the gradient of y
enum class direction { fprop, dgrad, wgrad };

// What of the problem a kernel is made for: all of it, or the launch brings n, or n, h and w. Then
// those of the problem are the sizes that it is tuned for.
enum class known_sizes { all, any_n, any_image };

// The weight gradient's elements.
enum class precision { fp32, fp16 };

// x is n h w c, y is n p q c, in halves; the filter is c r s 8: what a channel of y has of the 8
// channels of x in its group. The bias, in floats, is added by fprop, and wgrad makes its gradient.
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
    // Without what the launch brings: so one kernel is spelled in one way.
    constexpr problem without_unknown() const {
        problem known = *this;
        if (!knows_n()) known.n = 0;
        if (!knows_image()) known.h = known.w = 0;
        return known;
    }
    constexpr problem with(int images, int height, int width) const {
        problem of_launch = *this;
        of_launch.n = images;
        of_launch.h = height;
        of_launch.w = width;
        return of_launch;
    }

    // The bounds of single fields are told by their names; this is what they must be together.
    constexpr bool has_outputs() const { return p() >= 1 && q() >= 1; }
};

// fprop and dgrad are one walk: it reads rows of one image and makes rows of another, whose element
// (p, q) is of those at (p + r - pad_h, q + s - pad_w) for each tap of the filter. That of dgrad
// meets the filter backwards, and may begin inside what it reads: then its padding is negative.
struct correlation {
    int h, w; // read
    int p, q; // made
    int r, s;
    int pad_h, pad_w;
    bool is_backward;
};
constexpr correlation correlation_of(problem const& of) {
    if (of.pass == direction::dgrad) {
        return {of.p(), of.q(), of.h, of.w, of.r, of.s, of.r - 1 - of.pad_h, of.s - 1 - of.pad_w,
                true};
    }
    return {of.h, of.w, of.p(), of.q(), of.r, of.s, of.pad_h, of.pad_w, false};
}

// As a launch knows them: elements one after the other, all beginning at a multiple of 16 bytes.
inline constexpr axis<C> c_of_group{group_width};
using input_tensor =
    tensor<half const, axis<N>(dynamic), axis<H>(dynamic), axis<W>(dynamic), axis<C>(dynamic)>;
using output_tensor =
    tensor<half, axis<N>(dynamic), axis<P>(dynamic), axis<Q>(dynamic), axis<K>(dynamic)>;
template <class T>
using filter_of = tensor<T, axis<K>(dynamic), axis<R>(dynamic), axis<S>(dynamic), c_of_group>;
template <class T> using bias_of = tensor<T, axis<K>(dynamic)>;
using floats = tensor<float, axis<FLOAT>(dynamic)>;

// What a launch is told, whatever the body. Padding is zeros that may be multiplied: what is no
// number in the filter, or in the gradient of y, may come through where it meets them.
//     fprop   input is x, output is y; there is a bias where the problem has one
//     dgrad   input is the gradient of y, output that of x, as rows and columns of the correlation
struct correlation_args {
    input_tensor input;
    filter_of<half const> filter;
    bias_of<float const> bias = {};
    output_tensor output;
};
// The workspace has as many floats as the body says, and need not be cleared. The gradient of the
// filter is in floats or halves; that of the bias is made where the problem has one.
template <class Gradient> struct wgrad_args {
    input_tensor x;
    tensor<half const, axis<N>(dynamic), axis<P>(dynamic), axis<Q>(dynamic), axis<K>(dynamic)> dy;
    filter_of<Gradient> dw;
    bias_of<float> dbias = {};
    floats workspace = {};
};

} // namespace spio::conv2d
