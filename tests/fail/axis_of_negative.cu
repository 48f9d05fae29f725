// error: an_axis_needs_a_positive_size<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::axis<K>(-8); // wrong
