// The layers of wgrad that are tested: all kinds of filters, paddings and configurations.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it.
#pragma once

#include "layers.h"

#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

namespace spio::test::conv2d_wgrad {

using conv2d::precision;
using conv2d::problem;
using conv2d_layers::in_bf16;
using conv2d_layers::stepped;

template <class Config> struct layer {
    conv2d::problem problem;
    Config config;

    // The configuration of the kernel that adds the partial sums of the splits.
    constexpr conv2d::wgrad_reduce::config reduction() const {
        return conv2d::wgrad_reduce::config_for(problem, config.groups, config.splits, false);
    }
};
using cp_async_layer = layer<conv2d::wgrad_cp_async::config>;
using tma_layer = layer<conv2d::wgrad_tma::config>;

// A layer with c channels and r x s taps, whose kernel is compiled for images of any size.
constexpr problem layer_of(int c, int r, int s, int pad_h, int pad_w, bool bias = false,
                           precision gradient = precision::fp32) {
    return conv2d_layers::layer_of(conv2d::direction::wgrad, c, r, s, pad_h, pad_w, bias, gradient);
}

inline constexpr problem plain = layer_of(16, 3, 3, 1, 1);
inline constexpr problem ragged = in_bf16(layer_of(72, 3, 3, 1, 1, true));
inline constexpr problem pointwise = layer_of(8, 1, 1, 0, 0, true);
inline constexpr problem five = layer_of(24, 5, 5, 2, 2, true);
inline constexpr problem seven = layer_of(32, 7, 7, 3, 3);
inline constexpr problem wide = layer_of(16, 3, 5, 2, 2, true, precision::fp16);
inline constexpr problem tall = layer_of(8, 4, 1, 0, 6, true);
inline constexpr problem far = layer_of(24, 2, 4, 7, 0, true);
inline constexpr problem even = in_bf16(layer_of(16, 6, 2, 3, 1, false, precision::fp16));
// Strides, then dilations, of rows and of columns.
inline constexpr problem strided = stepped(layer_of(16, 3, 3, 1, 1, true), 2, 2, 1, 1);
inline constexpr problem dilated = stepped(layer_of(24, 5, 3, 4, 1), 1, 1, 2, 2);
inline constexpr problem stepped_even =
    in_bf16(stepped(layer_of(8, 4, 3, 3, 2, true, precision::fp16), 2, 1, 1, 2));
inline constexpr problem stepped_both = stepped(layer_of(16, 3, 2, 2, 3), 2, 2, 2, 1);

// The filter alone is known; the layer that the launch brings has more groups than a block, or
// fewer.
inline constexpr problem any_layer =
    conv2d_layers::any_layer_of(conv2d::direction::wgrad, 3, 3, true, precision::fp16);
inline constexpr problem any_wide_layer =
    in_bf16(conv2d_layers::any_layer_of(conv2d::direction::wgrad, 5, 2, true));

// The same layer, but for images of one size, in any number.
constexpr problem image_of(problem image, int h, int w) {
    image.made_for = conv2d::known_sizes::any_n;
    return image.with(image.n, h, w);
}

// A layer's name says what is special about it. Of each configuration: groups of a block, images
// and columns of a row that it loads, stages of the ring of rows, splits (shares of the sum that
// different blocks compute), and blocks that should be on an SM at a time (0 for any).
inline constexpr cp_async_layer cp_async_plain = {plain, {2, 1, 16, 2, 1, 0}};
inline constexpr cp_async_layer cp_async_ragged = {ragged, {4, 1, 64, 3, 3, 0}};
inline constexpr cp_async_layer cp_async_pointwise = {pointwise, {1, 1, 32, 4, 5, 0}};
inline constexpr cp_async_layer cp_async_five = {five, {3, 2, 16, 3, 2, 0}};
inline constexpr cp_async_layer cp_async_seven = {seven, {4, 4, 8, 2, 4, 0}};
inline constexpr cp_async_layer cp_async_wide = {wide, {1, 2, 48, 5, 3, 0}};
inline constexpr cp_async_layer cp_async_tall = {tall, {1, 1, 16, 3, 7, 0}};
inline constexpr cp_async_layer cp_async_far = {far, {2, 2, 8, 2, 2, 0}};
inline constexpr cp_async_layer cp_async_even = {even, {2, 1, 32, 4, 1, 0}};
inline constexpr cp_async_layer cp_async_strided = {strided, {2, 1, 32, 3, 3, 0}};
inline constexpr cp_async_layer cp_async_dilated = {dilated, {3, 2, 16, 4, 4, 0}};
inline constexpr cp_async_layer cp_async_stepped_even = {stepped_even, {1, 2, 8, 2, 5, 0}};
inline constexpr cp_async_layer cp_async_stepped_both = {stepped_both, {2, 1, 16, 3, 2, 0}};

inline constexpr cp_async_layer cp_async_any = {any_layer, {2, 1, 16, 4, 5, 0}};

// Of each configuration: groups, images, columns, stages, splits, and whole_images: whether images
// are loaded whole and not by rows.
inline constexpr tma_layer tma_plain = {plain, {2, 1, 16, 3, 1, false}};
inline constexpr tma_layer tma_ragged = {ragged, {9, 1, 64, 3, 3, false}};
inline constexpr tma_layer tma_pointwise = {pointwise, {1, 1, 32, 4, 5, false}};
inline constexpr tma_layer tma_five = {five, {2, 2, 16, 3, 2, false}};
inline constexpr tma_layer tma_seven = {seven, {4, 4, 8, 3, 4, false}};
inline constexpr tma_layer tma_wide = {wide, {1, 2, 48, 5, 3, false}};
inline constexpr tma_layer tma_tall = {tall, {1, 1, 16, 3, 7, false}};
inline constexpr tma_layer tma_far = {far, {2, 2, 8, 2, 17, false}};
inline constexpr tma_layer tma_even = {even, {8, 1, 32, 4, 1, false}};
inline constexpr tma_layer tma_strided = {strided, {2, 1, 32, 4, 3, false}};
inline constexpr tma_layer tma_dilated = {dilated, {4, 2, 16, 4, 4, false}};
inline constexpr tma_layer tma_stepped_even = {stepped_even, {1, 2, 8, 3, 5, false}};
inline constexpr tma_layer tma_stepped_both = {stepped_both, {2, 1, 16, 4, 2, false}};
inline constexpr tma_layer tma_image = {image_of(five, 7, 7), {2, 2, 8, 3, 2, true}};
inline constexpr tma_layer tma_low_image = {image_of(wide, 5, 9), {8, 2, 16, 2, 3, true}};
inline constexpr tma_layer tma_far_image = {image_of(far, 4, 12), {4, 1, 32, 3, 2, true}};
inline constexpr tma_layer tma_plain_image = {image_of(plain, 8, 8), {1, 4, 8, 2, 1, true}};
// With a cluster of as many blocks as there are splits, which adds their sums.
inline constexpr tma_layer tma_pair = {ragged, {4, 1, 32, 3, 2, false, 2}};
inline constexpr tma_layer tma_trio = {stepped_both, {2, 1, 16, 4, 3, false, 3}};
inline constexpr tma_layer tma_octet = {wide, {1, 2, 48, 5, 8, false, 8}};
inline constexpr tma_layer tma_image_pair = {image_of(five, 7, 7), {2, 2, 8, 3, 2, true, 2}};
inline constexpr tma_layer tma_any = {any_wide_layer, {4, 2, 16, 4, 9, false}};

} // namespace spio::test::conv2d_wgrad
