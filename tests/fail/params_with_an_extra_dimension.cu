// error: has_the_extra_dimension<.*X>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/problem.h"

namespace layer = spio::layernorm_2d;
using Factors = spio::tensor<float, layer::all_x, layer::all_c>;
inline layer::params launch(layer::images x, Factors weight) {
    return {.x = x, .y = x, .weight = weight}; // wrong
}
