// says: from .K. to .I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr void loop() {
    for (I x : spio::range(K(3))) {} // wrong
}
