// error: from .J. to .const I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A value of one dimension is none of another.
constexpr I x = J(3); // wrong
