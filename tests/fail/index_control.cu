// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, K and N, i = axis<I>(16), k = axis<K>(32), n = axis<N>(dynamic), K8 =
// fold<K, 8>, Plain = tensor<float, i, k>.

// A compound index is one number that stands for several positions, as a thread's or a block's.
using Thread = spio::compound_index<i / 8, i % 8>;
using Block = spio::compound_index<i / 8, k / 8>;
using Open = spio::compound_index<n / 4, i>;
static_assert(Thread::size() == 16 && Thread(11) == I(11) && Block(5).get<K8>() == K8(1));
static_assert(Block::size<K8>() == 4 && Open(33) == N(8) + I(1));
constexpr auto place = Plain()[Block(3)][Thread(2)];
static_assert(Thread(3) + I(1) == I(4));
