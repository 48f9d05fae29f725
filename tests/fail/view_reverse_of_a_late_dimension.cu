// error: OnlyAStaticDimension=N.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float, n,
// i>.
#include "spio/axis_views.h"

// reverse() starts at the last position, so it needs a size that the type knows.
constexpr auto v = spio::reverse<N>(Dynamic(nullptr, N(4))); // wrong
