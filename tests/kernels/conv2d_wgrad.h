// The weight gradients that are tested: every kind of filter, of padding, of a block's share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d_layers.h"

#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

namespace spio::test::conv2d_wgrad {

using conv2d::precision;
using conv2d::problem;

template <class Config> struct layer {
    problem is;
    Config by;

    constexpr conv2d::wgrad_reduce::config sum() const {
        return conv2d::wgrad_reduce::config_for(is, by.groups, by.splits, false);
    }
};
using row_layer = layer<conv2d::wgrad_cp_async::config>;
using box_layer = layer<conv2d::wgrad_tma::config>;

// Images of any size.
constexpr problem layer_of(int c, int r, int s, int pad_h, int pad_w, bool bias = false,
                           precision gradient = precision::fp32) {
    return conv2d_layers::layer_of(conv2d::direction::wgrad, c, r, s, pad_h, pad_w, bias, gradient);
}

inline constexpr problem plain = layer_of(16, 3, 3, 1, 1);
inline constexpr problem ragged = layer_of(72, 3, 3, 1, 1, true);
inline constexpr problem pointwise = layer_of(8, 1, 1, 0, 0, true);
inline constexpr problem five = layer_of(24, 5, 5, 2, 2, true);
inline constexpr problem seven = layer_of(32, 7, 7, 3, 3);
inline constexpr problem wide = layer_of(16, 3, 5, 2, 2, true, precision::fp16);
inline constexpr problem tall = layer_of(8, 4, 1, 0, 6, true);
inline constexpr problem far = layer_of(24, 2, 4, 7, 0, true);
inline constexpr problem even = layer_of(16, 6, 2, 3, 1, false, precision::fp16);

// Images of one size.
constexpr problem image_of(problem of, int h, int w) {
    of.made_for = conv2d::known_sizes::any_n;
    return of.with(of.n, h, w);
}

// groups, images, columns, stages, splits, blocks
inline constexpr row_layer row_plain = {plain, {2, 1, 16, 2, 1, 0}};
inline constexpr row_layer row_ragged = {ragged, {4, 1, 64, 3, 3, 0}};
inline constexpr row_layer row_pointwise = {pointwise, {1, 1, 32, 4, 5, 0}};
inline constexpr row_layer row_five = {five, {3, 2, 16, 3, 2, 0}};
inline constexpr row_layer row_seven = {seven, {4, 4, 8, 2, 4, 0}};
inline constexpr row_layer row_wide = {wide, {1, 2, 48, 5, 3, 0}};
inline constexpr row_layer row_tall = {tall, {1, 1, 16, 3, 7, 0}};
inline constexpr row_layer row_far = {far, {2, 2, 8, 2, 2, 0}};
inline constexpr row_layer row_even = {even, {2, 1, 32, 4, 1, 0}};

// groups, images, columns, stages, splits, whole_images
inline constexpr box_layer box_plain = {plain, {2, 1, 16, 3, 1, false}};
inline constexpr box_layer box_ragged = {ragged, {4, 1, 64, 3, 3, false}};
inline constexpr box_layer box_pointwise = {pointwise, {1, 1, 32, 4, 5, false}};
inline constexpr box_layer box_five = {five, {2, 2, 16, 3, 2, false}};
inline constexpr box_layer box_seven = {seven, {4, 4, 8, 3, 4, false}};
inline constexpr box_layer box_wide = {wide, {1, 2, 48, 5, 3, false}};
inline constexpr box_layer box_tall = {tall, {1, 1, 16, 3, 7, false}};
inline constexpr box_layer box_far = {far, {2, 2, 8, 2, 17, false}};
inline constexpr box_layer box_even = {even, {8, 1, 32, 4, 1, false}};
inline constexpr box_layer box_image = {image_of(five, 7, 7), {2, 2, 8, 3, 2, true}};
inline constexpr box_layer box_low_image = {image_of(wide, 5, 9), {8, 2, 16, 2, 3, true}};
inline constexpr box_layer box_far_image = {image_of(far, 4, 12), {4, 1, 32, 3, 2, true}};
inline constexpr box_layer box_plain_image = {image_of(plain, 8, 8), {1, 4, 8, 2, 1, true}};

} // namespace spio::test::conv2d_wgrad
