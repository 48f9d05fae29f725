// error: from .K. to .const spio::bounded<K, 4>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3. Not every K is one, so the conversion is explicit.
constexpr spio::bounded<K, 4> x = K(3); // wrong
