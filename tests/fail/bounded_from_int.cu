// error: from .int. to .(const )?spio::bounded<K, 4>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr spio::bounded<K, 4> x = 3; // wrong
