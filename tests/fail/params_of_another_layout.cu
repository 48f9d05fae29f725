// error of gcc: could not convert .{x, y}. .*layernorm_2d::params
// error of clang, clang-cuda: no viable conversion from 'tensor<.*axis<C>.*, axis<X>.*' to 'tensor<
// error of nvcc, nvrtc: user-defined conversion from "Columns".* to "spio::layernorm_2d::images_of<
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/problem.h"

// The parameter x has its channels innermost; a tensor with the other order is another type.
namespace layer = spio::layernorm_2d;
using Columns = spio::tensor<spio::half, layer::all_c, layer::all_x>;
inline layer::params launch(layer::images x, Columns y) {
    return {.x = x, .y = y}; // wrong
}
