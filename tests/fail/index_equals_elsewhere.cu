// error: Place=(Block|spio::linear_index<.*), NoDimensionOfIt=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Block = spio::compound_index<i / 8, k / 8>;
constexpr bool result = Block(3) == J(3); // wrong
