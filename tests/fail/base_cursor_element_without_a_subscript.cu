// error: Position=.*has_no_subscript_in<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// An element needs a subscript in each dimension. This one has none in I.
using Element = decltype(*Folded()[K(3)].rebase()[K8(1)]); // wrong
