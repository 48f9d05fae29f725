// error: ToANewOne=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/axis_views.h"

// rename() gives a dimension a name that the tensor does not have yet.
constexpr auto v = spio::rename<I, K>(Plain()); // wrong
