// error: OnlyAStaticOrOutermostDimension=N.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N.
#include "spio/axis_views.h"

// split() needs whole blocks. Only an outermost dimension may have a size known at run time alone.
using Late = spio::tensor<float, spio::axis<I>(2), spio::axis<N>(spio::dynamic)>;
constexpr auto v = spio::split<N, J, K, 4>(Late(nullptr, N(8))); // wrong
