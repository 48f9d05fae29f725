// error: Position=.*is_finer_than_the_blocks_of<K, \(?i?n?t?\)?8>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The elements of Blocks stand for 8 positions of K each. A single K selects none of them.
using Blocks = spio::tensor<float, i, k / 8>;
using Element = decltype(*Blocks()[I(3)][K(13)]); // wrong
