// error: less_in_every_dimension
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Coordinates can be less in one dimension and not in another: a < b is a condition, not an order.
constexpr auto near = I(1) + J(1);
constexpr auto far = I(2) + J(2);
constexpr bool result = near < far; // wrong
