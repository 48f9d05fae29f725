// error: OnlyAStaticDimension=N.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/axis_views.h"

constexpr auto v = spio::reverse<N>(Dynamic(nullptr, N(4))); // wrong
