// The layers of fprop and dgrad by cp.async: all kinds of filters, paddings and configurations.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it.
#pragma once

#include "conv2d/cp_async.h"
#include "layers.h"

namespace spio::test::conv2d_cp_async {

using namespace conv2d_layers;
using conv2d::cp_async::config;

struct layer {
    conv2d::problem problem;
    conv2d::cp_async::config config;
};

// A layer's name says what is special about it; "back" is dgrad. Arguments of layer_of: the pass,
// channels, the filter's rows and columns, the padding of both, and whether there is a bias.
// Of each configuration: groups, images, columns and rows of the output that a block computes,
// mma tiles (16 columns each) of a warp, stages of the ring of input rows, blocks that should be on
// an SM at a time (0 for any), and whether the loop over the filter's rows is unrolled.
inline constexpr layer plain = {layer_of(fprop, 16, 3, 3, 1, 1), {2, 1, 16, 8, 1, 2, 0}};
inline constexpr layer ragged = {
    activated(in_bf16(layer_of(fprop, 72, 3, 3, 1, 1, true)), activation::silu, extras::all),
    {4, 1, 64, 5, 4, 3, 0}};
inline constexpr layer pointwise = {layer_of(fprop, 8, 1, 1, 0, 0), {1, 1, 32, 4, 2, 4, 0}};
inline constexpr layer five = {layer_of(fprop, 24, 5, 5, 2, 2, true),
                               {3, 2, 16, 32, 2, 3, 0, true}};
inline constexpr layer seven = {layer_of(fprop, 32, 7, 7, 3, 3), {4, 4, 8, 7, 2, 2, 0}};
inline constexpr layer wide = {activated(in_bf16(layer_of(fprop, 16, 3, 5, 1, 2, true)),
                                         activation::gelu, extras::preactivation),
                               {1, 2, 48, 3, 3, 5, 0}};
inline constexpr layer tall = {layer_of(fprop, 8, 4, 1, 0, 6), {1, 1, 64, 6, 2, 3, 0, true}};
inline constexpr layer far = {layer_of(fprop, 24, 2, 4, 7, 0), {2, 2, 8, 1, 1, 2, 0}};
inline constexpr layer back = {layer_of(dgrad, 24, 3, 3, 1, 1), {3, 1, 16, 8, 1, 3, 0}};
inline constexpr layer back_ragged = {
    activated(in_bf16(layer_of(dgrad, 40, 5, 2, 7, 0)), activation::silu), {2, 1, 32, 4, 1, 4, 0}};
inline constexpr layer back_seven = {layer_of(dgrad, 16, 7, 7, 3, 2), {2, 2, 8, 6, 1, 2, 0, true}};
inline constexpr layer back_tall = {layer_of(dgrad, 8, 6, 1, 0, 1), {1, 1, 16, 3, 1, 2, 0}};
inline constexpr layer back_far = {layer_of(dgrad, 16, 1, 6, 0, 9), {1, 4, 16, 3, 2, 3, 0}};
// Strides, then dilations, of rows and of columns.
inline constexpr layer strided = {
    activated(stepped(layer_of(fprop, 24, 3, 3, 1, 1, true), 2, 2, 1, 1), activation::relu,
              extras::residual),
    {3, 1, 16, 5, 1, 3, 0, true}};
inline constexpr layer dilated = {activated(stepped(layer_of(fprop, 16, 3, 3, 2, 2), 1, 1, 2, 2),
                                            activation::none, extras::residual_and_preactivation),
                                  {2, 2, 16, 3, 2, 3, 0}};
inline constexpr layer stepped_far = {in_bf16(stepped(layer_of(fprop, 8, 4, 2, 5, 1), 2, 1, 2, 2)),
                                      {1, 2, 8, 4, 1, 2, 0}};
inline constexpr layer stepped_even = {
    activated(stepped(layer_of(fprop, 16, 4, 5, 3, 0), 2, 2, 1, 2), activation::silu,
              extras::scale),
    {2, 4, 8, 2, 2, 4, 0}};
inline constexpr layer back_strided = {
    activated(stepped(layer_of(dgrad, 24, 3, 3, 1, 1), 2, 2, 1, 1), activation::gelu),
    {2, 1, 32, 6, 2, 3, 0}};
inline constexpr layer back_dilated = {
    in_bf16(stepped(layer_of(dgrad, 16, 5, 3, 4, 0), 1, 2, 2, 2)), {2, 2, 16, 4, 1, 4, 0, true}};
inline constexpr layer back_stepped = {
    activated(stepped(layer_of(dgrad, 8, 2, 4, 1, 2), 2, 2, 2, 1), activation::relu),
    {1, 4, 8, 3, 2, 3, 0}};

// The filter alone is known; the layer that the launch brings has more groups than a block, or
// fewer.
inline constexpr layer any_layer = {any_layer_of(fprop, 3, 3, true), {3, 1, 16, 5, 1, 3, 0}};
inline constexpr layer back_any = {in_bf16(any_layer_of(dgrad, 5, 2)), {2, 2, 8, 4, 1, 2, 0, true}};

// A layer whose sizes are all known when its kernel is compiled, and the same layer with n
// unknown until the launch.
inline constexpr layer known = {{.n = 3, .c = 64, .h = 10, .w = 70}, {4, 1, 64, 4, 4, 3, 0}};
inline constexpr layer known_but_n = {
    {.n = 0, .c = 64, .h = 10, .w = 70, .made_for = known_sizes::any_n}, known.config};

} // namespace spio::test::conv2d_cp_async
