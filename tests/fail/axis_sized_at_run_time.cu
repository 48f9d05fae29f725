// error of gcc: 'number' is not a constant expression
// error: consteval function .*operator/
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// The size of an axis is part of a type. A size of the run time is passed to the tensor.
constexpr void size(int number) {
    auto axis = spio::axis<K>(number) / 8; // wrong
}
