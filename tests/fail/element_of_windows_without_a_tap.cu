// error: has_no_subscript_in<N>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.
#include "spio/windows.h"

// A position in windows names an output and a tap; no tap does not mean the first one.
constexpr auto v = spio::windows<K, J, N, spio::window{.taps = 3}>(Plain());
constexpr float read() { return *v[I(0)][J(2)]; } // wrong
