// error: ToAPositiveSize=16, OnlyADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::refold<16>(5); // wrong
