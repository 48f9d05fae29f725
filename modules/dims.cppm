// The typed-dimension algebra: what a position means, and where in memory that is.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension is an integer type that says what it counts, and a fold counts blocks of one.
// Coordinates have a value for each of several dimensions. An axis is a dimension with a size; a
// layout places axes in memory. A tensor is a pointer and a layout, a cursor a position in a
// tensor. is_injective says whether different positions have different offsets.
module;

#include "spio/algebra.h"
#include "spio/tile/half.h"
#include "spio/tile/vector.h"

export module spio.dims;

export namespace spio {

// Dimensions: integers that remember what they count.
using spio::dim;
using spio::dimension;
using spio::dimension_name;
using spio::fold;
using spio::bounded;
using spio::LANE;
using spio::OFFSET;
using spio::index;
using spio::integer;
using spio::base_of;
using spio::stride_of;
using spio::bound_of;
using spio::dimension_of;
using spio::same_base;
using spio::unfold;
using spio::refold;
using spio::refold_up;
using spio::modulo;
using spio::cast;
using spio::min;
using spio::max;
using spio::divup;

// Coordinates: one value for each of several dimensions.
using spio::coords;
using spio::make_coordinates;
using spio::make_normalized_coordinates;
using spio::place;
using spio::located;
using spio::shares_a_base;
using spio::place_arithmetic;
using spio::lexicographic;
using spio::place_hash;
using spio::operator/;
using spio::operator%;

// Axes of layouts: dimensions with a size, and functions of them.
using spio::axis;
using spio::fold_up;
using spio::dynamic;
using spio::dynamic_size;
using spio::pitch;
using spio::pitch_value;
using spio::axis_like;
using spio::derived;
using spio::checkerboard;
using spio::checkerboard_order;
using spio::swizzle;

// Tensors and cursors.
using spio::layout;
using spio::tensor;
using spio::cursor;
using spio::base_cursor;

// Numbers of 16 bits, to point to: kernels compute with them. A few numbers side by side.
using spio::half;
using spio::bfloat16;
using spio::vec;

// Parts of tensors, tensors read as vectors, and properties that a kernel can assert.
using spio::slice;
using spio::tile;
using spio::rename;
using spio::reverse;
using spio::every;
using spio::split;
using spio::join;
using spio::broadcast;
using spio::shift;
using spio::window;
using spio::windows;
using spio::as_vectors;
using spio::vectors_of;
using spio::is_injective;
using spio::bank_conflicts;
using spio::vector_width;

// The element at an offset.
using spio::inverse;
using spio::invertible;
using spio::position;

// Indices made of one number, and ranges of values.
using spio::compound_index;
using spio::linear_index;
using spio::index_at;
using spio::product_index;
using spio::complement;
using spio::range;
using spio::range_with_step;
using spio::reverse_range;
using spio::for_each;
using spio::copy;
using spio::box;
using spio::tile_number;
using spio::super_rows;
using spio::z_order;
using spio::hilbert_order;

} // namespace spio
