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

// A problem, and the configuration that it is tried with.
struct layer {
    conv2d::problem problem;
    conv2d::cp_async::config config;
};

// A layer's name says what is special about it; "back" is dgrad. Arguments of layer_of: the pass,
// channels, the filter's rows and columns, the padding of both, and whether there is a bias.
// Of a configuration, groups, images, columns and rows are those of the output that a block
// computes; mma tiles, of 16 columns each, are those of a warp, stages those of the ring of input
// rows. `blocks` should be on an SM at a time (0 for any). `unrolled` is the loop over the filter's
// rows.
inline constexpr layer plain = {
    layer_of(fprop, 16, 3, 3, 1, 1),
    {.groups = 2, .images = 1, .columns = 16, .rows = 8, .mma_tiles = 1, .stages = 2, .blocks = 0}};
inline constexpr layer ragged = {
    activated(in_bf16(layer_of(fprop, 72, 3, 3, 1, 1, true)), activation::silu, extras::all),
    {.groups = 4, .images = 1, .columns = 64, .rows = 5, .mma_tiles = 4, .stages = 3, .blocks = 0}};
inline constexpr layer pointwise = {
    layer_of(fprop, 8, 1, 1, 0, 0),
    {.groups = 1, .images = 1, .columns = 32, .rows = 4, .mma_tiles = 2, .stages = 4, .blocks = 0}};
inline constexpr layer five = {layer_of(fprop, 24, 5, 5, 2, 2, true),
                               {.groups = 3,
                                .images = 2,
                                .columns = 16,
                                .rows = 32,
                                .mma_tiles = 2,
                                .stages = 3,
                                .blocks = 0,
                                .unrolled = true}};
inline constexpr layer seven = {
    layer_of(fprop, 32, 7, 7, 3, 3),
    {.groups = 4, .images = 4, .columns = 8, .rows = 7, .mma_tiles = 2, .stages = 2, .blocks = 0}};
inline constexpr layer wide = {
    activated(in_bf16(layer_of(fprop, 16, 3, 5, 1, 2, true)), activation::gelu,
              extras::preactivation),
    {.groups = 1, .images = 2, .columns = 48, .rows = 3, .mma_tiles = 3, .stages = 5, .blocks = 0}};
inline constexpr layer tall = {layer_of(fprop, 8, 4, 1, 0, 6),
                               {.groups = 1,
                                .images = 1,
                                .columns = 64,
                                .rows = 6,
                                .mma_tiles = 2,
                                .stages = 3,
                                .blocks = 0,
                                .unrolled = true}};
inline constexpr layer far = {
    layer_of(fprop, 24, 2, 4, 7, 0),
    {.groups = 2, .images = 2, .columns = 8, .rows = 1, .mma_tiles = 1, .stages = 2, .blocks = 0}};
inline constexpr layer back = {
    layer_of(dgrad, 24, 3, 3, 1, 1),
    {.groups = 3, .images = 1, .columns = 16, .rows = 8, .mma_tiles = 1, .stages = 3, .blocks = 0}};
inline constexpr layer back_ragged = {
    activated(in_bf16(layer_of(dgrad, 40, 5, 2, 7, 0)), activation::silu),
    {.groups = 2, .images = 1, .columns = 32, .rows = 4, .mma_tiles = 1, .stages = 4, .blocks = 0}};
inline constexpr layer back_seven = {layer_of(dgrad, 16, 7, 7, 3, 2),
                                     {.groups = 2,
                                      .images = 2,
                                      .columns = 8,
                                      .rows = 6,
                                      .mma_tiles = 1,
                                      .stages = 2,
                                      .blocks = 0,
                                      .unrolled = true}};
inline constexpr layer back_tall = {
    layer_of(dgrad, 8, 6, 1, 0, 1),
    {.groups = 1, .images = 1, .columns = 16, .rows = 3, .mma_tiles = 1, .stages = 2, .blocks = 0}};
inline constexpr layer back_far = {
    layer_of(dgrad, 16, 1, 6, 0, 9),
    {.groups = 1, .images = 4, .columns = 16, .rows = 3, .mma_tiles = 2, .stages = 3, .blocks = 0}};
// Strides, then dilations, of rows and of columns.
inline constexpr layer strided = {
    activated(stepped(layer_of(fprop, 24, 3, 3, 1, 1, true), 2, 2, 1, 1), activation::relu,
              extras::residual),
    {.groups = 3,
     .images = 1,
     .columns = 16,
     .rows = 5,
     .mma_tiles = 1,
     .stages = 3,
     .blocks = 0,
     .unrolled = true}};
inline constexpr layer dilated = {
    activated(stepped(layer_of(fprop, 16, 3, 3, 2, 2), 1, 1, 2, 2), activation::none,
              extras::residual_and_preactivation),
    {.groups = 2, .images = 2, .columns = 16, .rows = 3, .mma_tiles = 2, .stages = 3, .blocks = 0}};
inline constexpr layer stepped_far = {
    in_bf16(stepped(layer_of(fprop, 8, 4, 2, 5, 1), 2, 1, 2, 2)),
    {.groups = 1, .images = 2, .columns = 8, .rows = 4, .mma_tiles = 1, .stages = 2, .blocks = 0}};
inline constexpr layer stepped_even = {
    activated(stepped(layer_of(fprop, 16, 4, 5, 3, 0), 2, 2, 1, 2), activation::silu,
              extras::scale),
    {.groups = 2, .images = 4, .columns = 8, .rows = 2, .mma_tiles = 2, .stages = 4, .blocks = 0}};
inline constexpr layer back_strided = {
    activated(stepped(layer_of(dgrad, 24, 3, 3, 1, 1), 2, 2, 1, 1), activation::gelu),
    {.groups = 2, .images = 1, .columns = 32, .rows = 6, .mma_tiles = 2, .stages = 3, .blocks = 0}};
inline constexpr layer back_dilated = {
    in_bf16(stepped(layer_of(dgrad, 16, 5, 3, 4, 0), 1, 2, 2, 2)),
    {.groups = 2,
     .images = 2,
     .columns = 16,
     .rows = 4,
     .mma_tiles = 1,
     .stages = 4,
     .blocks = 0,
     .unrolled = true}};
inline constexpr layer back_stepped = {
    activated(stepped(layer_of(dgrad, 8, 2, 4, 1, 2), 2, 2, 2, 1), activation::relu),
    {.groups = 1, .images = 4, .columns = 8, .rows = 3, .mma_tiles = 2, .stages = 3, .blocks = 0}};

// The filter alone is known; the layer that the launch brings has more groups than a block, or
// fewer.
inline constexpr layer any_layer = {
    any_layer_of(fprop, 3, 3, true),
    {.groups = 3, .images = 1, .columns = 16, .rows = 5, .mma_tiles = 1, .stages = 3, .blocks = 0}};
inline constexpr layer back_any = {in_bf16(any_layer_of(dgrad, 5, 2)),
                                   {.groups = 2,
                                    .images = 2,
                                    .columns = 8,
                                    .rows = 4,
                                    .mma_tiles = 1,
                                    .stages = 2,
                                    .blocks = 0,
                                    .unrolled = true}};

// A layer whose sizes are all known when its kernel is compiled, and the same layer with n
// unknown until the launch.
inline constexpr layer known = {
    {.n = 3, .c = 64, .h = 10, .w = 70},
    {.groups = 4, .images = 1, .columns = 64, .rows = 4, .mma_tiles = 4, .stages = 3, .blocks = 0}};
inline constexpr layer known_but_n = {
    {.n = 0, .c = 64, .h = 10, .w = 70, .made_for = known_sizes::any_n}, known.config};

} // namespace spio::test::conv2d_cp_async
