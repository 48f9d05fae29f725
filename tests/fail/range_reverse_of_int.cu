// error: NotADimension=<int>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto values = spio::reverse_range(3); // wrong
