// Rows of a matrix, each times its own factor: the kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scale_rows/problem.h"
#include "spio/range.h"
#include "spio/tile/thread.cuh"

namespace scale_rows {

// The number of columns is known when this is compiled: one kernel for each.
template <problem Problem, config Config> __device__ void run(params const& p) {
    constexpr auto known = spio::axis<Column>(Problem.columns);
    auto const here = Row(spio::this_block());
    auto const rows = p.x.extent<Row>();
    auto const x = spio::tensor<float const, row, known>(p.x.get(), rows)[here];
    auto const y = spio::tensor<float, row, known>(p.y.get(), rows)[here];
    float const factor = *p.factors[here];
    auto const mine = Column(spio::this_thread());
    for (auto const c : spio::range_with_step<Config.threads>(mine, Column(Problem.columns))) {
        *y[c] = factor * *x[c];
    }
}

} // namespace scale_rows
