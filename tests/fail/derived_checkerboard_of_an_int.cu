// error: OnlyAnAxis=spio::axis<I>, AndAnAxis=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A checkerboard is made of two axes: its rows and its columns.
constexpr auto axis = spio::checkerboard(i, 2); // wrong
