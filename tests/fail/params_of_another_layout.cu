// error: has_its_axes_in_another_order.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/problem.h"

namespace layer = spio::layernorm_2d;
using Columns = spio::tensor<spio::half, layer::all_c, layer::all_x>;
inline layer::params launch(layer::images x, Columns y) {
    return {.x = x, .y = y}; // wrong
}
