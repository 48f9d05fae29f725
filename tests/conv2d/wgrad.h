// The layers of wgrad that are tested: all kinds of filters, paddings and configurations.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A split is a share of wgrad's sum, over some rows
// of all images; a second kernel, the reduction, adds the sums of the splits, unless the blocks of
// a cluster do.
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
        return conv2d::wgrad_reduce::config_for(problem, config.groups, config.splits,
                                                /*overlaps=*/false);
    }
};
using cp_async_layer = layer<conv2d::wgrad_cp_async::config>;
using tma_layer = layer<conv2d::wgrad_tma::config>;

// A layer with c channels, a filter of r rows and s columns, and padding of rows and of columns,
// whose kernel is compiled for images of any size. `gradient` is the type of the filter's.
constexpr problem layer_of(int c, int r, int s, int pad_h, int pad_w, bool bias = false,
                           precision gradient = precision::fp32) {
    return conv2d_layers::layer_of(conv2d::direction::wgrad, c, r, s, pad_h, pad_w, bias, gradient);
}

inline constexpr problem plain = layer_of(16, 3, 3, 1, 1);
inline constexpr problem ragged = in_bf16(layer_of(72, 3, 3, 1, 1, true));
inline constexpr problem pointwise = layer_of(8, 1, 1, 0, 0, true);
inline constexpr problem five = layer_of(24, 5, 5, 2, 2, true);
inline constexpr problem seven = layer_of(32, 7, 7, 3, 3);
inline constexpr problem eight = layer_of(72, 7, 5, 3, 2, true);
inline constexpr problem twelve = layer_of(136, 7, 7, 3, 3, true);
inline constexpr problem twelve_strided = in_bf16(stepped(layer_of(96, 3, 3, 1, 1), 2, 2, 1, 1));
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

// The same, in a known number.
constexpr problem images_of(problem images, int n, int h, int w) {
    images.made_for = conv2d::known_sizes::all;
    return images.with(n, h, w);
}

// A layer's name says what is special about it. Of a configuration, groups are those of a block,
// images and columns those of a row that it loads, stages those of the ring of rows; splits are
// shares of the sum that different blocks compute, and `blocks` should be on an SM at a time (0 for
// any).
inline constexpr cp_async_layer cp_async_plain = {
    plain, {.groups = 2, .images = 1, .columns = 16, .stages = 2, .splits = 1, .blocks = 0}};
inline constexpr cp_async_layer cp_async_ragged = {
    ragged, {.groups = 4, .images = 1, .columns = 64, .stages = 3, .splits = 3, .blocks = 0}};
inline constexpr cp_async_layer cp_async_pointwise = {
    pointwise, {.groups = 1, .images = 1, .columns = 32, .stages = 4, .splits = 5, .blocks = 0}};
inline constexpr cp_async_layer cp_async_five = {
    five, {.groups = 3, .images = 2, .columns = 16, .stages = 3, .splits = 1, .blocks = 0}};
inline constexpr cp_async_layer cp_async_seven = {
    seven, {.groups = 4, .images = 4, .columns = 8, .stages = 2, .splits = 4, .blocks = 0}};
inline constexpr cp_async_layer cp_async_wide = {
    wide, {.groups = 1, .images = 2, .columns = 48, .stages = 5, .splits = 3, .blocks = 0}};
inline constexpr cp_async_layer cp_async_tall = {
    tall, {.groups = 1, .images = 1, .columns = 16, .stages = 3, .splits = 7, .blocks = 0}};
inline constexpr cp_async_layer cp_async_far = {
    far, {.groups = 2, .images = 2, .columns = 8, .stages = 2, .splits = 2, .blocks = 0}};
inline constexpr cp_async_layer cp_async_even = {
    even, {.groups = 2, .images = 1, .columns = 32, .stages = 4, .splits = 1, .blocks = 0}};
inline constexpr cp_async_layer cp_async_strided = {
    strided, {.groups = 2, .images = 1, .columns = 32, .stages = 3, .splits = 3, .blocks = 0}};
inline constexpr cp_async_layer cp_async_dilated = {
    dilated, {.groups = 3, .images = 2, .columns = 16, .stages = 4, .splits = 4, .blocks = 0}};
inline constexpr cp_async_layer cp_async_stepped_even = {
    stepped_even, {.groups = 1, .images = 2, .columns = 8, .stages = 2, .splits = 5, .blocks = 0}};
inline constexpr cp_async_layer cp_async_stepped_both = {
    stepped_both, {.groups = 2, .images = 1, .columns = 16, .stages = 3, .splits = 2, .blocks = 0}};

inline constexpr cp_async_layer cp_async_any = {
    any_layer, {.groups = 2, .images = 1, .columns = 16, .stages = 4, .splits = 5, .blocks = 0}};

// The same by TMA, where images may be loaded whole and not by rows.
inline constexpr tma_layer tma_plain = {
    plain,
    {.groups = 2, .images = 1, .columns = 16, .stages = 3, .splits = 1, .whole_images = false}};
inline constexpr tma_layer tma_ragged = {
    ragged,
    {.groups = 9, .images = 1, .columns = 64, .stages = 3, .splits = 3, .whole_images = false}};
inline constexpr tma_layer tma_pointwise = {
    pointwise,
    {.groups = 1, .images = 1, .columns = 32, .stages = 4, .splits = 5, .whole_images = false}};
inline constexpr tma_layer tma_five = {
    five,
    {.groups = 2, .images = 2, .columns = 16, .stages = 3, .splits = 1, .whole_images = false}};
inline constexpr tma_layer tma_seven = {
    seven,
    {.groups = 4, .images = 4, .columns = 8, .stages = 3, .splits = 4, .whole_images = false}};
inline constexpr tma_layer tma_wide = {
    wide,
    {.groups = 1, .images = 2, .columns = 48, .stages = 5, .splits = 3, .whole_images = false}};
inline constexpr tma_layer tma_tall = {
    tall,
    {.groups = 1, .images = 1, .columns = 16, .stages = 3, .splits = 7, .whole_images = false}};
inline constexpr tma_layer tma_far = {
    far,
    {.groups = 2, .images = 2, .columns = 8, .stages = 2, .splits = 17, .whole_images = false}};
inline constexpr tma_layer tma_even = {
    even,
    {.groups = 8, .images = 1, .columns = 32, .stages = 4, .splits = 1, .whole_images = false}};
inline constexpr tma_layer tma_strided = {
    strided,
    {.groups = 2, .images = 1, .columns = 32, .stages = 4, .splits = 3, .whole_images = false}};
inline constexpr tma_layer tma_dilated = {
    dilated,
    {.groups = 4, .images = 2, .columns = 16, .stages = 4, .splits = 4, .whole_images = false}};
inline constexpr tma_layer tma_stepped_even = {
    stepped_even,
    {.groups = 1, .images = 2, .columns = 8, .stages = 3, .splits = 5, .whole_images = false}};
inline constexpr tma_layer tma_stepped_both = {
    stepped_both,
    {.groups = 2, .images = 1, .columns = 16, .stages = 4, .splits = 2, .whole_images = false}};
inline constexpr tma_layer tma_image = {
    image_of(five, 7, 7),
    {.groups = 2, .images = 2, .columns = 8, .stages = 3, .splits = 2, .whole_images = true}};
inline constexpr tma_layer tma_low_image = {
    image_of(wide, 5, 9),
    {.groups = 8, .images = 2, .columns = 16, .stages = 2, .splits = 3, .whole_images = true}};
inline constexpr tma_layer tma_far_image = {
    image_of(far, 4, 12),
    {.groups = 4, .images = 1, .columns = 32, .stages = 3, .splits = 2, .whole_images = true}};
inline constexpr tma_layer tma_plain_image = {
    image_of(plain, 8, 8),
    {.groups = 1, .images = 4, .columns = 8, .stages = 2, .splits = 1, .whole_images = true}};
// With all channels and columns in a block, which copies rows: of any number of images, of four,
// with a dilation, whose taps read a row below the image, and with strides.
inline constexpr tma_layer tma_rows = {
    image_of(ragged, 9, 13),
    {.groups = 9, .images = 1, .columns = 16, .stages = 3, .splits = 3, .whole_images = false}};
inline constexpr tma_layer tma_rows_pair = {images_of(plain, 4, 6, 20),
                                            {.groups = 2,
                                             .images = 2,
                                             .columns = 32,
                                             .stages = 4,
                                             .splits = 2,
                                             .whole_images = false,
                                             .cluster = 2}};
inline constexpr tma_layer tma_rows_dilated = {
    image_of(dilated, 8, 11),
    {.groups = 3, .images = 1, .columns = 16, .stages = 4, .splits = 4, .whole_images = false}};
inline constexpr tma_layer tma_rows_strided = {
    image_of(strided, 9, 17),
    {.groups = 2, .images = 1, .columns = 16, .stages = 4, .splits = 1, .whole_images = false}};
// With a cluster of as many blocks as there are splits, which adds their sums.
inline constexpr tma_layer tma_pair = {ragged,
                                       {.groups = 4,
                                        .images = 1,
                                        .columns = 32,
                                        .stages = 3,
                                        .splits = 2,
                                        .whole_images = false,
                                        .cluster = 2}};
inline constexpr tma_layer tma_trio = {stepped_both,
                                       {.groups = 2,
                                        .images = 1,
                                        .columns = 16,
                                        .stages = 4,
                                        .splits = 3,
                                        .whole_images = false,
                                        .cluster = 3}};
inline constexpr tma_layer tma_octet = {wide,
                                        {.groups = 1,
                                         .images = 2,
                                         .columns = 48,
                                         .stages = 5,
                                         .splits = 8,
                                         .whole_images = false,
                                         .cluster = 8}};
inline constexpr tma_layer tma_sixteen = {plain,
                                          {.groups = 2,
                                           .images = 2,
                                           .columns = 16,
                                           .stages = 4,
                                           .splits = 16,
                                           .whole_images = false,
                                           .cluster = 16}};
inline constexpr tma_layer tma_image_pair = {image_of(five, 7, 7),
                                             {.groups = 2,
                                              .images = 2,
                                              .columns = 8,
                                              .stages = 3,
                                              .splits = 2,
                                              .whole_images = true,
                                              .cluster = 2}};
inline constexpr tma_layer tma_any = {
    any_wide_layer,
    {.groups = 4, .images = 2, .columns = 16, .stages = 4, .splits = 9, .whole_images = false}};
// Eight warps with a large filter get registers of the producer's warpgroup.
inline constexpr tma_layer tma_eight = {
    eight,
    {.groups = 8, .images = 4, .columns = 8, .stages = 6, .splits = 3, .whole_images = false}};
// And so do twelve warps. Their groups are three boxes of each stage.
inline constexpr tma_layer tma_twelve = {
    twelve,
    {.groups = 12, .images = 1, .columns = 16, .stages = 5, .splits = 3, .whole_images = false}};
inline constexpr tma_layer tma_twelve_strided = {twelve_strided,
                                                 {.groups = 12,
                                                  .images = 2,
                                                  .columns = 8,
                                                  .stages = 3,
                                                  .splits = 2,
                                                  .whole_images = false,
                                                  .cluster = 2}};
inline constexpr tma_layer tma_twelve_image = {
    image_of(twelve, 7, 7),
    {.groups = 12, .images = 2, .columns = 8, .stages = 2, .splits = 2, .whole_images = true}};
// So do two warps of each of four groups, with more mma tiles.
inline constexpr tma_layer tma_eight_parts = {eight,
                                              {.groups = 4,
                                               .images = 6,
                                               .columns = 8,
                                               .stages = 4,
                                               .splits = 3,
                                               .whole_images = false,
                                               .parts = 2}};
// With two warps a group, each of which has a part of the taps.
inline constexpr tma_layer tma_seven_parts = {seven,
                                              {.groups = 4,
                                               .images = 2,
                                               .columns = 8,
                                               .stages = 3,
                                               .splits = 3,
                                               .whole_images = false,
                                               .parts = 2}};
inline constexpr tma_layer tma_five_parts = {image_of(five, 7, 7),
                                             {.groups = 2,
                                              .images = 2,
                                              .columns = 8,
                                              .stages = 3,
                                              .splits = 1,
                                              .whole_images = true,
                                              .parts = 2}};
inline constexpr tma_layer tma_ragged_parts = {ragged,
                                               {.groups = 9,
                                                .images = 1,
                                                .columns = 32,
                                                .stages = 3,
                                                .splits = 4,
                                                .whole_images = false,
                                                .cluster = 4,
                                                .parts = 2}};
inline constexpr tma_layer tma_far_parts = {far,
                                            {.groups = 2,
                                             .images = 1,
                                             .columns = 16,
                                             .stages = 2,
                                             .splits = 5,
                                             .whole_images = false,
                                             .parts = 2}};

} // namespace spio::test::conv2d_wgrad
