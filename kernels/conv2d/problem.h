// Grouped convolution with groups of 8 channels: its dimensions, problems and launch arguments.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and the options of one call; its kernel is compiled for it. All
// activations lie channels last: the channel of an element varies fastest in memory.
// has_static_image() says whether the height and width, has_static_layer() whether the channels and
// the padding are known when a kernel is compiled.
#pragma once

#include "spio/checked_size.h"
#include "spio/tensor.h"
#include "spio/tile/half.h"
#include "spio/window.h"

namespace spio::conv2d {

// Dimensions. N: the images of a batch. C, H, W: the channels, rows and columns of the input.
// K, P, Q: the channels, rows and columns of the output. R, S: the rows and columns of the filter.
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
// The floats of a workspace.
struct FLOAT : dim {
    using dim::dim;
};

inline constexpr int group_width = 8;
// Numbers of filter taps, 3 x 3 and 5 x 5, above which other configurations are better, by
// measurements on an H200.
inline constexpr int few_taps = 9, medium_taps = 25;
// The most channels that a kernel takes which does not know them when it is compiled.
inline constexpr int most_channels_of_any_layer = 1 << 20;

// fprop   y from x and the filter
// dgrad   the gradient of x, from that of y and the filter
// wgrad   the gradient of the filter, from x and the gradient of y
enum class direction { fprop, dgrad, wgrad };

// Which sizes of a problem are known when its kernel is compiled. all: every size. any_n: every
// size but n. any_image: every size but n, h and w. any_layer: only those of the filter; n, h, w, c
// and the padding are not known, and the strides are 1. The launch passes the sizes that are not
// known. The problem still has values of these, for which the configuration is chosen.
enum class known_sizes { all, any_n, any_image, any_layer };

// The type of the elements of x, y, the filter, and the gradients of x and y.
enum class element_type { fp16, bf16 };
// The type of the elements of the filter's gradient: fp32, or the type of the other elements.
enum class precision { fp32, fp16, bf16 };
constexpr precision precision_of(element_type type) {
    return type == element_type::fp16 ? precision::fp16 : precision::bf16;
}

enum class activation { none, relu, silu, gelu };

// The tensor x has the dimensions n h w c and y has n p q c. The filter has the dimensions c r s 8:
// a channel of y depends on the 8 channels of x in the same group. From the sums of products, fprop
// computes
//     y = activation(scale * sum + bias) + residual
// where scale and bias have c floats, and the residual has the elements of a y. The value of which
// it takes the activation is the preactivation. With `preactivation`, fprop writes this too,
// rounded to the type of y. dgrad with an activation reads it again: the gradient of y is first
// multiplied by the derivative of the activation, and the product is rounded to the type of the
// elements. With `bias`, wgrad computes the gradient of the bias.
struct problem {
    int n, c, h, w;
    int r = 3, s = 3;
    int pad_h = 1, pad_w = 1;
    bool bias = false;
    direction pass = direction::fprop;
    known_sizes made_for = known_sizes::all; // what sizes its kernel is made for
    precision gradient = precision::fp32;
    element_type type = element_type::fp16;
    int stride_h = 1, stride_w = 1;     // 1 or 2: the inputs from one output to the next
    int dilation_h = 1, dilation_w = 1; // 1 or 2: the inputs from one tap to the next
    conv2d::activation activation = conv2d::activation::none;
    bool scale = false;
    bool residual = false;
    bool preactivation = false;

    // The filter's window along the rows and along the columns of x.
    constexpr window rows() const { return {r, stride_h, dilation_h, pad_h}; }
    constexpr window columns() const { return {s, stride_w, dilation_w, pad_w}; }
    // The rows and columns of the input under the filter, and of the output. wgrad computes them at
    // run time too, where window's own functions, which also serve images that are too small, would
    // take registers.
    constexpr int extent_h() const { return dilation_h * (r - 1) + 1; }
    constexpr int extent_w() const { return dilation_w * (s - 1) + 1; }
    constexpr int p() const { return (h + 2 * pad_h - extent_h()) / stride_h + 1; }
    constexpr int q() const { return (w + 2 * pad_w - extent_w()) / stride_w + 1; }
    constexpr int groups() const { return c / group_width; }
    constexpr int taps() const { return r * s; }
    // Whether neighbouring outputs, and neighbouring taps, are one input apart.
    constexpr bool is_dense() const {
        return stride_h == 1 && stride_w == 1 && dilation_h == 1 && dilation_w == 1;
    }

    // Whether fprop does more to a sum than begin it with the bias.
    constexpr bool has_epilogue() const {
        return pass == direction::fprop &&
               (activation != conv2d::activation::none || scale || residual || preactivation);
    }
    // Whether fprop reads or writes a tensor of the size of y besides y.
    constexpr bool has_tensor_like_output() const {
        return pass == direction::fprop && (residual || preactivation);
    }
    // Whether dgrad multiplies the gradient of y by the derivative of the activation.
    constexpr bool has_derivative() const {
        return pass == direction::dgrad && activation != conv2d::activation::none;
    }
    // Whether there is a tensor beside the input and the output, which moves more bytes.
    constexpr bool has_second_tensor() const {
        return has_tensor_like_output() || has_derivative();
    }

    constexpr bool has_static_n() const { return made_for == known_sizes::all; }
    constexpr bool has_static_image() const {
        return has_static_n() || made_for == known_sizes::any_n;
    }
    // Whether the channels and the padding are known.
    constexpr bool has_static_layer() const { return made_for != known_sizes::any_layer; }
    // The same problem with zeros for the sizes that the launch passes. Problems that differ in
    // these sizes only then share one template argument, and so one kernel.
    constexpr problem without_unknown() const {
        problem known = *this;
        if (!has_static_n()) known.n = 0;
        if (!has_static_image()) known.h = known.w = 0;
        if (!has_static_layer()) known.c = known.pad_h = known.pad_w = 0;
        return known;
    }
    // Whether a block may have a number of groups: at most those of the problem. A kernel that does
    // not know the channels leaves groups idle where the problem has fewer.
    constexpr bool has_groups(int count) const { return !has_static_layer() || count <= groups(); }
    // The same problem for other images.
    constexpr problem with(int images, int height, int width) const {
        problem resized = *this;
        resized.n = images;
        resized.h = height;
        resized.w = width;
        return resized;
    }
};

// What fprop and dgrad have in common: both correlate an input with a filter. The output at (p, q)
// is the sum over the taps (r, s) of the filter's value at (r, s) times the value at the position
// (rows.position(p, r), columns.position(q, s)). The inputs are at the positions (spacing_h h,
// spacing_w w), and the values at all others are zeros. For fprop the input is x, the output is y,
// and the spacing is 1. For dgrad the input is the gradient of y, the output is the gradient of x,
// the filter is rotated by 180 degrees, the stride is 1, and the spacing is the stride of the
// problem. The padding of dgrad may be negative; then the outermost rows or columns of the input
// are not read.
struct correlation {
    int h, w; // of the input
    int p, q; // of the output
    window rows, columns;
    bool is_backward;
    int spacing_h, spacing_w;
};
// A choice of a configuration calls it some thousand times.
[[gnu::always_inline]] constexpr correlation correlation_of(problem const& problem) {
    window const rows = problem.rows();
    window const columns = problem.columns();
    if (problem.pass == direction::dgrad) {
        return {.h = problem.p(),
                .w = problem.q(),
                .p = problem.h,
                .q = problem.w,
                .rows = rows.transposed(),
                .columns = columns.transposed(),
                .is_backward = true,
                .spacing_h = rows.stride,
                .spacing_w = columns.stride};
    }
    return {.h = problem.h,
            .w = problem.w,
            .p = problem.p(),
            .q = problem.q(),
            .rows = rows,
            .columns = columns,
            .is_backward = false,
            .spacing_h = 1,
            .spacing_w = 1};
}

// Tensors as a launch passes them: dense, with a first element that is aligned to 16 bytes.
inline constexpr axis<C> c_of_group{group_width};
template <class T>
using input_of = tensor<T, axis<N>(dynamic), axis<H>(dynamic), axis<W>(dynamic), axis<C>(dynamic)>;
template <class T>
using output_of = tensor<T, axis<N>(dynamic), axis<P>(dynamic), axis<Q>(dynamic), axis<K>(dynamic)>;
template <class T>
using filter_of = tensor<T, axis<K>(dynamic), axis<R>(dynamic), axis<S>(dynamic), c_of_group>;
template <class T> using bias_of = tensor<T, axis<K>(dynamic)>;
using floats = tensor<float, axis<FLOAT>(dynamic)>;

// The arguments of fprop and dgrad, of elements of type T, half or bfloat16. A kernel may multiply
// the filter with the zeros of the padding instead of skipping them, and 0 x NaN is NaN: a NaN or
// an infinity in the filter may reach every output whose window touches the padding.
//     fprop   input is x, output is y
//     dgrad   input is the gradient of y, with P, Q, K of the problem as H, W, C; output is the
//             gradient of x, with H, W, C of the problem as P, Q, K
// The bias is read only if the problem has one.
template <class T> struct correlation_args {
    input_of<T const> input;
    filter_of<T const> filter;
    bias_of<float const> bias{};
    output_of<T> output;
};
// The tensors of an epilogue. Those are read or written that the problem has. dgrad with an
// activation reads input_preactivation, which has the sizes of its input. For ReLU without a
// residual, y may be passed in its place: both are above 0 at the same places.
template <class T> struct epilogue_args {
    bias_of<float const> scale{};
    output_of<T const> residual{};
    output_of<T> preactivation{};
    input_of<T const> input_preactivation{};
};
// The same in a kernel's parameters. Their sizes are those of the output, or of dgrad's input.
struct epilogue_pointers {
    float const* scale = nullptr;
    void const* residual = nullptr;
    void* preactivation = nullptr;
};
// The elements of a kernel's parameters, which do not name their type: that of the problem.
using element_bits = unsigned short;

// The arguments of wgrad. The workspace must have the number of floats that the configuration asks
// for, and need not be cleared. The gradient dw of the filter has elements of type float or T. The
// gradient dbias is written only if the problem has a bias. A NaN or an infinity in dy may reach
// the gradient of every tap that meets it with padding.
template <class Gradient, class T = half> struct wgrad_args {
    input_of<T const> x;
    output_of<T const> dy;
    filter_of<Gradient> dw;
    bias_of<float> dbias{};
    floats workspace{};
};

} // namespace spio::conv2d
