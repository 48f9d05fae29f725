// error: AlongTheOutputsAlone=N.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.
#include "spio/windows.h"

// windows() makes outputs J and taps N of a filter. A tile is cut along the outputs alone.
constexpr auto v = spio::windows<I, J, N, spio::window{.taps = 3}>(Plain());
constexpr auto part = tile<1>(v, N(0)); // wrong
