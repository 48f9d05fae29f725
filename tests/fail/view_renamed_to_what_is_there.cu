// error: ToANewOne=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/axis_views.h"

constexpr auto v = spio::rename<I, K>(Plain()); // wrong
