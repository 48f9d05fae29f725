// TMA boxes of tiles in global tensors, against plans written by hand; tiles that are no TMA boxes.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis is a function of several positions, such as a
// swizzle.
#include "spio/tile/tensor_map.h"

import spio.dims;

struct N : spio::dim {
    using dim::dim;
};
struct H : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
struct C : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::tensor_map_plan;
using spio::swizzle;
using spio::tensor;
using spio::tensor_map;
using cell = spio::vec<unsigned short, 8>;
using floats = spio::vec<float, 4>;

constexpr auto h = axis<H>(13);
constexpr auto w = axis<W>(11);
constexpr auto c = axis<C>(64);
constexpr auto h4 = axis<H>(4);
constexpr auto w8 = axis<W>(8);
constexpr auto n = axis<N>(spio::dynamic);

// A plan lists dimensions innermost first. Sizes and boxes are in scalars, strides in bytes; the
// first stride is the size of a scalar.
using Matrix = tensor<float, axis<H>(100), axis<W>(60)>;
static_assert(
    tensor_map<tensor<float, h4, w8>, Matrix>::plan() ==
    tensor_map_plan{
        .rank = 2, .element_bytes = 4, .sizes = {60, 100}, .strides = {4, 240}, .box = {8, 4}});
static_assert(tensor_map<tensor<float, h4, w8>, Matrix>::num_bytes() == 128);

// A tensor of vectors (`cell` has 8 halves) is planned in scalars, 8 for each step of the last
// axis.
using Images = tensor<cell, n, h, w, c / 8>;
template <class Tile> using of_images = tensor_map<Tile, Images>;
// The plan of 7 images, with a swizzle of `span` bytes (0: none).
constexpr tensor_map_plan plan_of_images(int span) {
    return {.rank = 4,
            .element_bytes = 2,
            .sizes = {64, 11, 13, 7},
            .strides = {2, 128, 1408, 18304},
            .box = {64, 8, 4, 1},
            .swizzle = span};
}
using Shape = Images::layout_type;
static_assert(of_images<tensor<cell, h4, w8, c / 8>>::plan(Shape(N(7))) == plan_of_images(0));
using Swizzled = tensor<cell, h4, w8, swizzle(c / 8, w8 % 8)>;
static_assert(of_images<Swizzled>::plan(Shape(N(7))) == plan_of_images(128));
static_assert(of_images<Swizzled>::num_bytes() == 4 * 8 * 128);
static_assert(spio::box_alignment<Swizzled> == 1024 && spio::box_alignment<Matrix> == 128);

// Tiles of a half and of a quarter of the 64 channels: two and four pixels share a line of 128
// bytes.
constexpr auto half_of_c = axis<C>(32);
constexpr auto quarter_of_c = axis<C>(16);
static_assert(of_images<tensor<cell, w8, swizzle(half_of_c / 8, w8 / 2 % 4)>>::plan(Shape(N(1))) ==
              tensor_map_plan{.rank = 4,
                              .element_bytes = 2,
                              .sizes = {64, 11, 13, 1},
                              .strides = {2, 128, 1408, 18304},
                              .box = {32, 8, 1, 1},
                              .swizzle = 64});
static_assert(of_images<tensor<cell, w8, swizzle(quarter_of_c / 8, w8 / 4 % 2)>>::plan(Shape(N(1)))
                  .swizzle == 32);

// A pitch of the global tensor is a stride of the tensor map; a fold of it is a dimension.
using Padded = tensor<floats, axis<H>(20).pitch(40), axis<W>(64) / 4>;
static_assert(
    tensor_map<tensor<floats, axis<W>(32) / 4>, Padded>::plan() ==
    tensor_map_plan{
        .rank = 2, .element_bytes = 4, .sizes = {64, 20}, .strides = {4, 640}, .box = {32, 1}});

template <class Tile, class Global>
concept is_box = requires { typename tensor_map<Tile, Global>; };
static_assert(is_box<tensor<float, h4, w8>, Matrix>);
// No boxes: tiles with axes in another order, of another dimension, padded, too long, with rows of
// 12 bytes, or of other steps than the tensor's.
static_assert(!is_box<tensor<float, w8, h4>, Matrix>);
static_assert(!is_box<tensor<float, h4, axis<C>(8)>, Matrix>);
static_assert(!is_box<tensor<float, h4.pitch(12), w8>, Matrix>);
static_assert(!is_box<tensor<float, axis<H>(512), w8>, Matrix>);
static_assert(!is_box<tensor<float, h4, axis<W>(3)>, Matrix>);
static_assert(!is_box<tensor<cell, h4, w8, c / 8>, tensor<cell, n, h, w, c / 16, c % 16 / 8>>);
// No boxes: tiles with swizzles that TMA does not have, which read other rows, or span another
// number of rows, or begin again before a pattern of eight lines ends.
static_assert(!is_box<tensor<cell, h4, w8, swizzle(c / 8, h4 % 4)>, Images>);
static_assert(!is_box<tensor<cell, h4, w8, swizzle(half_of_c / 8, w8 % 4)>, Images>);
static_assert(!is_box<tensor<cell, h4, axis<W>(4), swizzle(c / 8, axis<W>(4) % 4)>, Images>);

// Rows of 10 pixels: the pattern of the swizzle goes on from one row to the next.
constexpr auto w10 = axis<W>(10);
using ByLine = tensor<cell, h4, w10, swizzle(c / 8, h4, w10)>;
static_assert(of_images<ByLine>::plan(Shape(N(7))) ==
              tensor_map_plan{.rank = 4,
                              .element_bytes = 2,
                              .sizes = {64, 11, 13, 7},
                              .strides = {2, 128, 1408, 18304},
                              .box = {64, 10, 4, 1},
                              .swizzle = 128});
static_assert(spio::box_alignment<ByLine> == 1024);
static_assert(
    of_images<tensor<cell, h4, w10, swizzle(quarter_of_c / 8, h4, w10)>>::plan(Shape(N(1)))
        .swizzle == 32);
// No boxes: swizzles for rows of another size, of other axes, or that do not read all outer axes.
static_assert(!is_box<tensor<cell, h4, w10, swizzle(c / 8, h4, w8)>, Images>);
static_assert(!is_box<tensor<cell, h4, w10, swizzle(c / 8, w10, h4)>, Images>);
static_assert(!is_box<tensor<cell, axis<N>(2), h4, w10, swizzle(c / 8, h4, w10)>, Images>);
