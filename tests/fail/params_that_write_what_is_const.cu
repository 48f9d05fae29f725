// error of gcc: could not convert .{1, x, 1, y}. .*axpby::params
// error of clang, clang-cuda: no viable conversion from .tensor<const float, .* to .tensor<float,
// error of nvcc, nvrtc: user-defined conversion from "Readable".* to "spio::axpby::scalars"
// SPDX-License-Identifier: Apache-2.0
#include "axpby/problem.h"

// axpby writes to y, so a vector of constants is not enough.
using Readable = spio::tensor<float const, spio::axpby::elements>;
inline spio::axpby::params launch(Readable x, Readable y) {
    return {.a = 1, .x = x, .b = 1, .y = y}; // wrong
}
