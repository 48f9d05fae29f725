// error: 'spio::coords<I, J>' does not satisfy 'index'|\(spio::coords<I, J>\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A range runs along one dimension. Loops over several are nested.
constexpr auto values = spio::range(I(3) + J(4)); // wrong
