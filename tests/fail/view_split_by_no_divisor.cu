// error: HasToDivideIt=5.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/axis_views.h"

constexpr auto v = spio::split<K, J, N, 5>(Plain()); // wrong
