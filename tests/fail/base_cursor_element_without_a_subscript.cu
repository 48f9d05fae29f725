// error: Position=.*has_no_subscript_in<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, Folded =
// tensor<float, k / 8, i, k % 8>.

// An element needs a subscript in each dimension. This one has none in I.
using Element = decltype(*Folded()[K(3)].rebase()[K8(1)]); // wrong
