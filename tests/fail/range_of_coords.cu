// error: 'spio::coords<I, J>' does not satisfy 'index'|\(spio::coords<I, J>\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto values = spio::range(I(3) + J(4)); // wrong
