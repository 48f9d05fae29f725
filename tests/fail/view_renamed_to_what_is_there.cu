// error: ToANewOne=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.
#include "spio/axis_views.h"

// rename() gives a dimension a name that the tensor does not have yet.
constexpr auto v = spio::rename<I, K>(Plain()); // wrong
