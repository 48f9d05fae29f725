// error: Position=.*has_no_subscript_in<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// An element needs a subscript in each dimension. first() would mean the first element.
using Element = decltype(*Plain()); // wrong
