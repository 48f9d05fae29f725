// error: from .int. to .(const )?spio::bounded<K, 4>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3. A number becomes one only explicitly.
constexpr spio::bounded<K, 4> x = 3; // wrong
