// The layers of fprop and dgrad by TMA: all kinds of filters, paddings and configurations.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A residual is a tensor that is added to the
// output, a preactivation the value before the activation, of which dgrad takes the derivative.
#pragma once

#include "conv2d/tma.h"
#include "layers.h"

namespace spio::test::conv2d_tma {

using namespace conv2d_layers;
using conv2d::tma::config;

// A problem, and the configuration that it is tried with.
struct layer {
    conv2d::problem problem;
    conv2d::tma::config config;
};

// A layer's name says what is special about it; "back" is dgrad. Arguments of layer_of: the pass,
// channels, the filter's rows and columns, the padding of both, and whether there is a bias.
// Of a configuration, groups, images, columns and rows are those of the output in a tile; `blocks`
// should be on an SM at a time (0 for any).
inline constexpr layer plain = {
    layer_of(fprop, 16, 3, 3, 1, 1),
    {.groups = 2, .images = 1, .columns = 16, .rows = 8, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer ragged = {
    activated(layer_of(fprop, 72, 3, 3, 1, 1, true), activation::silu, extras::all),
    {.groups = 8, .images = 1, .columns = 16, .rows = 5, .tiles_per_block = 1, .blocks = 2}};
inline constexpr layer pointwise = {
    layer_of(fprop, 8, 1, 1, 0, 0),
    {.groups = 1, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 3, .blocks = 0}};
inline constexpr layer five = {
    activated(in_bf16(layer_of(fprop, 24, 5, 5, 2, 2, true)), activation::gelu,
              extras::preactivation),
    {.groups = 2, .images = 4, .columns = 8, .rows = 12, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer seven = {
    layer_of(fprop, 32, 7, 7, 3, 3),
    {.groups = 4, .images = 1, .columns = 16, .rows = 14, .tiles_per_block = 1, .blocks = 0}};
// The output of a tile leaves in two boxes. Some warps have no group.
inline constexpr layer boxed = {
    layer_of(fprop, 40, 5, 5, 2, 2),
    {.groups = 4, .images = 2, .columns = 8, .rows = 14, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer back_boxed = {
    in_bf16(layer_of(dgrad, 16, 5, 3, 2, 1)),
    {.groups = 2, .images = 1, .columns = 16, .rows = 12, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer wide = {
    in_bf16(layer_of(fprop, 16, 3, 5, 1, 2, true)),
    {.groups = 1, .images = 1, .columns = 32, .rows = 3, .tiles_per_block = 3, .blocks = 0}};
inline constexpr layer tall = {
    layer_of(fprop, 8, 4, 1, 0, 6),
    {.groups = 1, .images = 2, .columns = 8, .rows = 6, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer far = {
    activated(layer_of(fprop, 24, 2, 4, 7, 0), activation::none, extras::residual),
    {.groups = 2, .images = 2, .columns = 8, .rows = 1, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer back = {
    layer_of(dgrad, 24, 3, 3, 1, 1),
    {.groups = 2, .images = 1, .columns = 16, .rows = 8, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer back_ragged = {
    activated(layer_of(dgrad, 40, 5, 2, 7, 0), activation::gelu),
    {.groups = 4, .images = 1, .columns = 48, .rows = 4, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer back_seven = {
    activated(in_bf16(layer_of(dgrad, 16, 7, 7, 3, 2)), activation::silu),
    {.groups = 2, .images = 2, .columns = 8, .rows = 6, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer back_tall = {
    layer_of(dgrad, 8, 6, 1, 0, 1),
    {.groups = 1, .images = 1, .columns = 16, .rows = 3, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer back_far = {
    layer_of(dgrad, 64, 1, 6, 0, 9),
    {.groups = 8, .images = 2, .columns = 16, .rows = 3, .tiles_per_block = 2, .blocks = 0}};
// Strides, then dilations, of rows and of columns.
inline constexpr layer strided = {
    stepped(layer_of(fprop, 64, 3, 3, 1, 1, true), 2, 2, 1, 1),
    {.groups = 8, .images = 1, .columns = 16, .rows = 5, .tiles_per_block = 1, .blocks = 0}};
// Taps of a pair are exchanged for half of the outputs, and no tap is left over; with a dilation
// too, they are not exchanged.
inline constexpr layer strided_even = {
    in_bf16(stepped(layer_of(fprop, 24, 2, 4, 0, 2), 1, 2, 1, 1)),
    {.groups = 2, .images = 1, .columns = 32, .rows = 5, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer strided_dilated = {
    stepped(layer_of(fprop, 40, 3, 5, 2, 3, true), 2, 2, 2, 2),
    {.groups = 4, .images = 2, .columns = 8, .rows = 4, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer stepped_far = {
    activated(in_bf16(stepped(layer_of(fprop, 24, 4, 2, 5, 1), 2, 1, 1, 2)), activation::relu,
              extras::scale),
    {.groups = 2, .images = 2, .columns = 8, .rows = 4, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer back_dilated = {
    activated(stepped(layer_of(dgrad, 40, 3, 5, 2, 3), 1, 1, 2, 2), activation::relu),
    {.groups = 4, .images = 1, .columns = 32, .rows = 5, .tiles_per_block = 1, .blocks = 0}};

// dgrad with strides: zeros lie between the inputs along rows, along columns, or along both.
inline constexpr layer back_strided = {
    stepped(layer_of(dgrad, 40, 3, 3, 1, 1), 2, 2, 1, 1),
    {.groups = 4, .images = 1, .columns = 32, .rows = 6, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer back_strided_five = {
    activated(in_bf16(stepped(layer_of(dgrad, 24, 5, 5, 2, 2), 2, 2, 1, 1)), activation::silu),
    {.groups = 2, .images = 2, .columns = 16, .rows = 4, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer back_strided_rows = {
    stepped(layer_of(dgrad, 16, 4, 3, 1, 0), 2, 1, 1, 1),
    {.groups = 2, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer back_strided_columns = {
    stepped(layer_of(dgrad, 24, 2, 7, 0, 2), 1, 2, 1, 1),
    {.groups = 2, .images = 1, .columns = 64, .rows = 3, .tiles_per_block = 1, .blocks = 0}};
// The filter alone is known; the layer that the launch brings has more groups than a block, or
// fewer.
inline constexpr layer any_layer = {
    any_layer_of(fprop, 3, 3, true),
    {.groups = 4, .images = 1, .columns = 16, .rows = 5, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer back_any = {
    in_bf16(any_layer_of(dgrad, 5, 2)),
    {.groups = 2, .images = 2, .columns = 8, .rows = 4, .tiles_per_block = 2, .blocks = 0}};

// A layer whose sizes are all known when its kernel is compiled, the same layer but for n, and one
// whose images have no more rows than a tile.
inline constexpr layer known = {
    {.n = 3, .c = 64, .h = 10, .w = 38},
    {.groups = 8, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 2, .blocks = 0}};
inline constexpr layer known_but_n = {
    {.n = 0, .c = 64, .h = 10, .w = 38, .made_for = known_sizes::any_n}, known.config};
inline constexpr layer covered = {
    {.n = 5, .c = 32, .h = 7, .w = 7, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2},
    {.groups = 4, .images = 2, .columns = 8, .rows = 7, .tiles_per_block = 2, .blocks = 0}};
// The output of a tile does not fit into the memory of its input rows, so the rows of the padding
// are loaded too.
inline constexpr layer covered_small = {
    {.n = 3, .c = 64, .h = 8, .w = 32, .s = 1, .pad_h = 0, .pad_w = 0, .pass = dgrad},
    {.groups = 8, .images = 1, .columns = 32, .rows = 8, .tiles_per_block = 1, .blocks = 0}};
// A tile has all rows of its images, with so much padding that boxes of its input begin with it.
inline constexpr layer covered_padded = {
    {.n = 2, .c = 88, .h = 4, .w = 30, .r = 6, .s = 5, .pad_h = 7, .pad_w = 2},
    {.groups = 4, .images = 1, .columns = 16, .rows = 13, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer covered_strided = {
    activated(stepped({.n = 5, .c = 32, .h = 14, .w = 13, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2},
                      2, 2, 1, 1),
              activation::silu, extras::residual_and_preactivation),
    {.groups = 4, .images = 2, .columns = 8, .rows = 8, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer covered_back = {
    activated(
        {.n = 5, .c = 32, .h = 7, .w = 7, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2, .pass = dgrad},
        activation::silu),
    {.groups = 4, .images = 2, .columns = 8, .rows = 8, .tiles_per_block = 2, .blocks = 0}};
// A tile has all rows of its images, and the last column of taps is in pairs of rows, of which one
// lies above or below the image.
inline constexpr layer covered_seven = {
    {.n = 2, .c = 40, .h = 9, .w = 20, .r = 7, .s = 7, .pad_h = 3, .pad_w = 3, .bias = true},
    {.groups = 4, .images = 1, .columns = 16, .rows = 9, .tiles_per_block = 1, .blocks = 0}};
inline constexpr layer covered_back_seven = {
    in_bf16(
        {.n = 3, .c = 24, .h = 13, .w = 9, .r = 7, .s = 5, .pad_h = 2, .pad_w = 3, .pass = dgrad}),
    {.groups = 2, .images = 2, .columns = 8, .rows = 13, .tiles_per_block = 1, .blocks = 0}};

// With all channels in a block and a known image, tiles are copied row by row: in several columns
// of tiles, of which the last ones reach beyond the image; of two groups, whose tiles are as wide
// as the image too; in boxes of some rows, with the padding above and below; without that padding,
// and with the last column of taps in pairs of rows; with strides, dilations, and more padding than
// the filter reaches over.
constexpr layer copied(problem image, int h, int w, config config) {
    image.made_for = known_sizes::any_n;
    config.whole_rows = true;
    return {image.with(0, h, w), config};
}
inline constexpr layer rows = copied(
    activated(layer_of(fprop, 72, 3, 3, 1, 1, true), activation::silu, extras::scale), 11, 37,
    {.groups = 9, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 2, .blocks = 0});
inline constexpr layer rows_pair =
    copied(layer_of(fprop, 16, 3, 3, 1, 1), 9, 20,
           {.groups = 2, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 1, .blocks = 0});
inline constexpr layer back_rows_pair = copied(
    layer_of(dgrad, 16, 3, 3, 1, 1), 5, 100,
    {.groups = 2, .images = 1, .columns = 112, .rows = 3, .tiles_per_block = 1, .blocks = 0});
inline constexpr layer rows_boxed = copied(
    in_bf16(layer_of(fprop, 24, 5, 5, 2, 2, true)), 31, 20,
    {.groups = 3, .images = 1, .columns = 16, .rows = 14, .tiles_per_block = 1, .blocks = 0});
inline constexpr layer rows_covered = copied(
    layer_of(fprop, 40, 7, 7, 3, 3), 14, 18,
    {.groups = 5, .images = 1, .columns = 16, .rows = 14, .tiles_per_block = 1, .blocks = 0});
inline constexpr layer rows_strided = copied(
    activated(stepped(layer_of(fprop, 24, 3, 3, 1, 1), 2, 2, 1, 1), activation::relu), 15, 41,
    {.groups = 3, .images = 1, .columns = 16, .rows = 3, .tiles_per_block = 1, .blocks = 0});
inline constexpr layer back_rows = copied(
    layer_of(dgrad, 40, 5, 5, 2, 2), 12, 28,
    {.groups = 5, .images = 1, .columns = 32, .rows = 12, .tiles_per_block = 1, .blocks = 0});
inline constexpr layer back_rows_dilated =
    copied(in_bf16(stepped(layer_of(dgrad, 8, 3, 3, 2, 3), 1, 1, 2, 2)), 10, 33,
           {.groups = 1, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 3, .blocks = 0});
inline constexpr layer rows_far =
    copied(layer_of(fprop, 24, 2, 4, 7, 40), 6, 10,
           {.groups = 3, .images = 1, .columns = 16, .rows = 4, .tiles_per_block = 2, .blocks = 0});
// The same layer, whose tiles are copied as boxes.
constexpr layer boxes_of(layer layer) {
    layer.config.whole_rows = false;
    return layer;
}

} // namespace spio::test::conv2d_tma
