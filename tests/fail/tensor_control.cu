// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), n = axis<N>(dynamic), K8 =
// fold<K, 8>, Plain = tensor<float, i, k>, Folded = tensor<float, k / 8, i, k % 8>, Dynamic =
// tensor<float, n, i>.

// A tensor is a pointer with axes. Sizes that the type does not know come with the pointer.
constexpr auto a = Plain();
constexpr auto place = a[I(2) + J(3)][K(4)];
static_assert(Plain::size<I>() == I(16) && Plain::extent<K8>() == K8(4) &&
              Folded::size<K8>() == K8(4));
constexpr auto late = Dynamic(nullptr, N(3));
static_assert(late.size<N>() == N(3) && late.storage_size() == 48);
