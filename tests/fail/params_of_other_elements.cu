// error: has_other_elements<.*half, const float>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "axpby/problem.h"
#include "spio/tile/half.h"

using Halves = spio::tensor<spio::half, spio::axpby::elements>;
inline spio::axpby::params launch(Halves x, spio::axpby::scalars y) {
    return {.a = 1, .x = x, .b = 1, .y = y}; // wrong
}
