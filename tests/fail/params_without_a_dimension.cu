// error: lacks_the_dimension<.*X>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/problem.h"

namespace layer = spio::layernorm_2d;
using Channels = spio::tensor<spio::half, layer::all_c>;
inline layer::params launch(Channels x, layer::images y) {
    return {.x = x, .y = y}; // wrong
}
