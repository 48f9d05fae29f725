// error: Position=.*has_no_subscript_in<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// An element needs a subscript in each dimension. This one has none in K.
using Element = decltype(*Plain()[I(3)]); // wrong
