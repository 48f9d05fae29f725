// says: from .K. to .int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr void loop() {
    for (int x : spio::range(K(3))) {} // wrong
}
