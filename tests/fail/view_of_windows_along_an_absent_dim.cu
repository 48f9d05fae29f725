// error: OfADimension=N.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.
#include "spio/windows.h"

// windows() adds the taps of a filter along a dimension of the tensor. Plain has no N.
auto v = spio::windows<N, J, I, spio::window{.taps = 3}>(Plain()); // wrong
