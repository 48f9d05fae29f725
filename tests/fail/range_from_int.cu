// error: 'int' vs\. 'I'|\(int, I\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto values = spio::range(0, I(3)); // wrong
