// error: ToABaseDimension=J, OnlyADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::cast<J>(3); // wrong
