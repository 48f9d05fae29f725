// error: ToAPositiveSize=16, OnlyADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// refold<16>() counts a value of a dimension in blocks of 16; a plain number has no dimension.
constexpr auto x = spio::refold<16>(5); // wrong
