// error: not_a_plain_axis<spio::derived_axis<
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::compound_index<spio::swizzle(k / 8, i % 4)>; // wrong
