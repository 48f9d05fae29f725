// error: AbsentDimension=spio::LANE, Index=(Block|.*I, 8.*K, 8)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// partition() deals positions out over a dimension of the index. Block has no lanes.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr auto part = Block::partition<spio::LANE>(Block(3)); // wrong
