// error: AbsentDimension=spio::coords<J, N>, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.

// Of coordinates a tensor takes the dimensions that it has. Plain has neither J nor N.
constexpr auto place = Plain()[I(2)][J(3) + N(4)]; // wrong
