// The dimensions, axes and tensors that the cases use.
// SPDX-License-Identifier: Apache-2.0
//
// A case is a program with one wrong line. Its first lines say, as regular expressions, what which
// compiler must answer; one without a wrong line, which must compile, is a control.
#pragma once

#include "spio/base_cursor.h"
#include "spio/dims.h"
#include "spio/extrema.h"
#include "spio/facts.h"
#include "spio/rounding.h"
#include "spio/stepped_range.h"
#include "spio/swizzle.h"
#include "spio/tiles.h"

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
// Counts of blocks: K8(3) is three blocks of 8 values of K.
using K8 = spio::fold<K, 8>;
using K16 = spio::fold<K, 16>;

// An axis is a dimension with its size, which for n is only known at run time.
inline constexpr auto i = spio::axis<I>(16);
inline constexpr auto j = spio::axis<J>(64);
inline constexpr auto k = spio::axis<K>(32);
inline constexpr auto n = spio::axis<N>(spio::dynamic);

// Tensors with the axes in the order in which they lie in memory, the last one contiguous. k / 8
// are the blocks of 8 of an axis, k % 8 the positions in a block.
using Plain = spio::tensor<float, i, k>;
using Folded = spio::tensor<float, k / 8, i, k % 8>;
using Dynamic = spio::tensor<float, n, i>;
