// Layers of any image size, for the tests of convolutions.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A residual is a tensor that is added to the
// output, a preactivation the value before the activation, of which dgrad takes the derivative.
#pragma once

#include "conv2d/problem.h"

namespace spio::test::conv2d_layers {

using conv2d::activation;
using conv2d::direction;
using conv2d::element_type;
using conv2d::precision;
using conv2d::problem;
using conv2d::known_sizes;

// A layer with c channels, a filter of r rows and s columns, and padding of rows and of columns,
// whose kernel is compiled for images of any size: n, h and w are 0 until the launch. `gradient` is
// the type of the filter's gradient.
constexpr problem layer_of(direction pass, int c, int r, int s, int pad_h, int pad_w,
                           bool bias = false, precision gradient = precision::fp32) {
    return {.n = 0,
            .c = c,
            .h = 0,
            .w = 0,
            .r = r,
            .s = s,
            .pad_h = pad_h,
            .pad_w = pad_w,
            .bias = bias,
            .pass = pass,
            .made_for = known_sizes::any_image,
            .gradient = gradient};
}
// A layer whose kernel is compiled for any layer with this filter.
constexpr problem any_layer_of(direction pass, int r, int s, bool bias = false,
                               precision gradient = precision::fp32) {
    auto layer = layer_of(pass, 0, r, s, 0, 0, bias, gradient);
    layer.made_for = known_sizes::any_layer;
    return layer;
}
// The problem of a launch of such a kernel, with random channels and padding: `number(least, most)`
// draws one. A layer that knows them keeps its own.
template <class Random> problem with_drawn_layer(problem layer, Random const& number) {
    if (layer.has_static_layer()) return layer;
    layer.c = 8 * number(1, 5);
    layer.pad_h = number(0, layer.extent_h());
    layer.pad_w = number(0, layer.extent_w());
    return layer;
}
// The same layer with elements in bf16. The filter's gradient stays in float if it was.
constexpr problem in_bf16(problem layer) {
    layer.type = element_type::bf16;
    if (layer.gradient != precision::fp32) layer.gradient = precision::bf16;
    return layer;
}
// The same layer with strides and dilations.
constexpr problem stepped(problem layer, int stride_h, int stride_w, int dilation_h,
                          int dilation_w) {
    layer.stride_h = stride_h;
    layer.stride_w = stride_w;
    layer.dilation_h = dilation_h;
    layer.dilation_w = dilation_w;
    return layer;
}
// What an epilogue, which a kernel applies to its sums, may have besides an activation.
enum class extras { none, scale, residual, preactivation, residual_and_preactivation, all };
// The same layer with an activation, and some of the epilogue's other parts.
constexpr problem activated(problem layer, activation function, extras added = extras::none) {
    bool const has_all = added == extras::all;
    bool const has_two = has_all || added == extras::residual_and_preactivation;
    layer.activation = function;
    layer.scale = has_all || added == extras::scale;
    layer.residual = has_two || added == extras::residual;
    layer.preactivation = has_two || added == extras::preactivation;
    return layer;
}
inline constexpr auto fprop = direction::fprop;
inline constexpr auto dgrad = direction::dgrad;

} // namespace spio::test::conv2d_layers
