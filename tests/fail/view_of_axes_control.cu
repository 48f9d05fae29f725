// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>, Folded = tensor<float, k / 8, i, k % 8>.
#include "spio/axis_views.h"

// A view is a tensor over the same memory: reversed, split, renamed, thinned out, or joined.
static_assert(spio::reverse<K>(Plain())[I(1)][K(1)].offset() == 32 + 30);
static_assert(spio::split<K, J, N, 8>(Plain())[J(1)][N(5)].offset() == 13);
static_assert(spio::rename<I, J>(Plain())[J(1)][K(2)].offset() == 34);
static_assert(spio::every<2, K>(Folded())[K(5)].offset() == 16 * 8 + 2);
static_assert(spio::join<I, K, J>(Plain())[J(70)].offset() == 70);
