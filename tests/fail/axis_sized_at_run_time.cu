// error of gcc: 'number' is not a constant expression
// error: consteval function .*operator/
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr void size(int number) {
    auto axis = spio::axis<K>(number) / 8; // wrong
}
