// error: from .K. to .const spio::bounded<K, 4>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr spio::bounded<K, 4> x = K(3); // wrong
