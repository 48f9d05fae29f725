// error: has_other_axes_of<.*C>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/problem.h"

namespace layer = spio::layernorm_2d;
using Few = spio::tensor<spio::half, layer::all_x, spio::axis<layer::C>(64)>;
inline layer::params launch(layer::images x, Few y) {
    return {.x = x, .y = y}; // wrong
}
