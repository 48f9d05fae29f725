// error: HasToDivideIt=5.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.
#include "spio/axis_views.h"

// split<K, J, N, 5>() makes K blocks J of 5 positions N; 32 are no whole number of them.
constexpr auto v = spio::split<K, J, N, 5>(Plain()); // wrong
