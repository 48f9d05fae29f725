// error: Position=.*has_no_subscript_in<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// An element needs a subscript in each dimension. This one has none in K.
using Element = decltype(*Plain()[I(3)]); // wrong
