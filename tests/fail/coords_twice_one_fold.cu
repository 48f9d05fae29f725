// error: OnlyDimensionsEachOnce=<(K8|.*<K, 8>), J, (K8|.*<K, 8>)>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions J and K, K8 = fold<K, 8>.

// Coordinates have one entry for each dimension, and for each size of its blocks.
constexpr auto place = spio::make_coordinates(K8(1), J(2), K8(3)); // wrong
