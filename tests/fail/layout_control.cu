// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, K and N, i = axis<I>(16), k = axis<K>(32), n = axis<N>(dynamic), Folded
// = tensor<float, k / 8, i, k % 8>, Dynamic = tensor<float, n, i>.

// A layout places each position of its dimensions once: by folds, swizzles, rings, checkerboards.
using Swizzled = spio::tensor<float, i, spio::swizzle(k / 8, i % 4), k % 8>;
using Ring = spio::tensor<float, k.ring(), i>;
static_assert(Folded::storage_size() == 512 && Swizzled::storage_size() == 512);
static_assert(Ring::size() == 512 && sizeof(Dynamic) > sizeof(float*));
using Checkered = spio::tensor<float, k / 16, spio::checkerboard(i % 16, k % 16 / 8)>;
static_assert(Checkered::storage_size() == 64);
