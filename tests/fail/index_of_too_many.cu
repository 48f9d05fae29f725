// error: an_index_stays_below_two_to_the_31<4294967296(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K.

// A compound index is an int, so it stands for less than 2^31 positions.
using Wrong = spio::compound_index<spio::axis<I>(65536), spio::axis<K>(65536)>; // wrong
