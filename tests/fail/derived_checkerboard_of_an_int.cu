// error: OnlyAnAxis=spio::axis<I>, AndAnAxis=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I, i = axis<I>(16).

// checkerboard(i, k) is a layout of the cells of a matrix: it keeps them in pairs and exchanges
// those of every second row of memory, so that a column lies in different banks. It takes two axes.
constexpr auto axis = spio::checkerboard(i, 2); // wrong
