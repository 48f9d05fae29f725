// error: has_elements_that_are_only_read<.*float.*>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "axpby/problem.h"

using Readable = spio::tensor<float const, spio::axpby::elements>;
inline spio::axpby::params launch(Readable x, Readable y) {
    return {.a = 1, .x = x, .b = 1, .y = y}; // wrong
}
