// error: Position=.*has_no_subscript_in<N>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic).

// An element needs a subscript in each dimension. This one has none in N.
struct pair {
    int first, second;
};
using Pairs = spio::tensor<pair, n, i>;
using Second = decltype(Pairs()[I(3)]->second); // wrong
