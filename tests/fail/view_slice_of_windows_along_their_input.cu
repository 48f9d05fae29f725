// error: CannotBeCut=I.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.
#include "spio/windows.h"

// windows() replaces the input positions I by outputs J and taps N, so I is no longer there.
constexpr auto v = spio::windows<I, J, N, spio::window{.taps = 3}>(Plain());
constexpr auto part = slice<1>(v, I(0)); // wrong
