// error: ToABaseDimension=spio::folded<J, 8>, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// cast() renames the dimension of a value, and yields the base dimension, not blocks of it.
constexpr auto x = spio::cast<spio::fold<J, 8>>(K8(1)); // wrong
