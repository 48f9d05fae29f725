// error: an_axis_needs_a_positive_size<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// The size of an axis is positive.
constexpr auto axis = spio::axis<K>(0); // wrong
