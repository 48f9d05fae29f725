// error: OnlyAPositiveStep=0, Values=<I>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto values = spio::range_with_step<0>(I(3)); // wrong
