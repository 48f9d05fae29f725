// Rows of a matrix, each times its own factor: dimensions, problem, configuration, parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace scale_rows {

struct Row : spio::dim {
    using dim::dim;
};
struct Column : spio::dim {
    using dim::dim;
};

struct problem {
    int columns;
};
struct config {
    int threads; // of a block, which has a row
};

// What a launch brings: any number of rows.
inline constexpr auto row = spio::axis<Row>(spio::dynamic);
inline constexpr auto column = spio::axis<Column>(spio::dynamic);
using matrix = spio::tensor<float, row, column>;
using factors = spio::tensor<float const, row>;

struct params {
    spio::tensor<float const, row, column> x;
    scale_rows::factors factors;
    matrix y;
};

} // namespace scale_rows
