// error: OnlyAnAxis=spio::axis<I>, AndAnAxis=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::checkerboard(i, 2); // wrong
