// error: <I, I>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// Coordinates have one entry for each dimension.
using Wrong = spio::coords<I, I>; // wrong
