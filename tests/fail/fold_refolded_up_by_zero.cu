// error: ToAPositiveSize=0, OnlyADimension=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// refold_up<16>() counts a value in blocks of 16, rounded up. A block of none counts nothing.
constexpr auto x = spio::refold_up<0>(K(8)); // wrong
