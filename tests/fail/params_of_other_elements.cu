// error of gcc: could not convert .{1, x, 1, y}. .*axpby::params
// error of clang, clang-cuda: viable conversion from .tensor<spio::half, .* to .tensor<const float,
// error of nvcc, nvrtc: conversion from "Halves".* to "spio::(axpby::readable|tensor<const float)
// SPDX-License-Identifier: Apache-2.0
#include "axpby/problem.h"
#include "spio/tile/half.h"

// The parameters of axpby are vectors of float; a vector of halves is another type.
using Halves = spio::tensor<spio::half, spio::axpby::elements>;
inline spio::axpby::params launch(Halves x, spio::axpby::scalars y) {
    return {.a = 1, .x = x, .b = 1, .y = y}; // wrong
}
