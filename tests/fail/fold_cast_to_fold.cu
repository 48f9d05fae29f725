// error: ToABaseDimension=spio::folded<J, 8>, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions J and K, K8 = fold<K, 8>.

// cast() renames the dimension of a value, and yields the base dimension, not blocks of it.
constexpr auto x = spio::cast<spio::fold<J, 8>>(K8(1)); // wrong
