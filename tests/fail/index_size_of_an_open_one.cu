// error: AnOpenIndex=spio::linear_index<N, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic).

// The size of n is known only at run time, so that of the whole index is not known here.
using Open = spio::compound_index<n, i>;
constexpr int size = Open::size(); // wrong
