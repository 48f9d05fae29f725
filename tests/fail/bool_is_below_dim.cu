// error: Dimension=I, NotThatDimension=(bool|_Bool|__nv_bool)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A value of a dimension compares with its own kind only.
constexpr bool result = true < I(1); // wrong
