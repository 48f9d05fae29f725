// error: ToAPositiveSize=0, OnlyADimension=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::refold_up<0>(K(8)); // wrong
