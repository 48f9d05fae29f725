// The softmax of the rows of a matrix: dimensions, problem and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// axis<Row>(dynamic) is the dimension Row, with as many values as the caller says. A tensor is a
// pointer with axes, outermost first.
#pragma once

#include "spio/tensor.h"

namespace softmax {

struct Row : spio::dim {
    using dim::dim;
};
struct Column : spio::dim {
    using dim::dim;
};

// What is known when the kernel is compiled: there is one kernel for each number of columns.
struct problem {
    int columns;
};
inline constexpr int warps = 4; // of a block; each warp computes one row

// What a launch brings: matrices of at least one row, and a factor.
inline constexpr auto row = spio::axis<Row>(spio::dynamic);
inline constexpr auto column = spio::axis<Column>(spio::dynamic);
using input_matrix = spio::tensor<float const, row, column>;
using output_matrix = spio::tensor<float, row, column>;

// y = softmax(scale * x), row by row.
struct params {
    input_matrix x;
    output_matrix y;
    float scale = 1;
};

} // namespace softmax
