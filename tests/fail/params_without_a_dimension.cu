// error of gcc: could not convert .{x, y}. .*layernorm_2d::params
// error of clang, clang-cuda: no viable conversion from 'tensor<.*axis<C>.*' to 'tensor<.*axis<X>
// error of nvcc, nvrtc: user-defined conversion from "Channels".* to "spio::layernorm_2d::images_
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/problem.h"

// The parameter x has positions and channels; a tensor without positions is another type.
namespace layer = spio::layernorm_2d;
using Channels = spio::tensor<spio::half, layer::all_c>;
inline layer::params launch(Channels x, layer::images y) {
    return {.x = x, .y = y}; // wrong
}
