// error: OnlyAPositiveStep=0, Values=<I>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A range with steps of 0 would not end.
constexpr auto values = spio::range_with_step<0>(I(3)); // wrong
