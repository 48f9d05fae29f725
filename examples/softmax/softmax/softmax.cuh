// The softmax of the rows of a matrix: the kernel.
// SPDX-License-Identifier: Apache-2.0
//
//     x (global) -> registers -> maximum, exponentials, sum (registers, shuffles) -> y (global)
#pragma once

#include "softmax/problem.h"
#include "spio/range.h"
#include "spio/tile/elementary_functions.cuh"
#include "spio/tile/warp.cuh"

namespace softmax {

// A warp computes one row, and reads it once: lane n holds columns n, n + 32, n + 64, …
template <problem Problem> __device__ void run(params const& params) {
    constexpr auto columns = spio::axis<Column>(Problem.columns);
    using Block = spio::fold<Row, warps>;
    using Step = spio::fold<Column, 32>;
    constexpr auto steps = Step(spio::divup(Problem.columns, 32));

    auto const rows = params.y.extent<Row>();
    auto const position =
        Block(spio::this_block()) + Row(spio::this_warp().get()) + Column(spio::this_lane().get());
    auto const x = spio::tensor<float const, row, columns>(params.x.get(), rows)[position];
    auto const y = spio::tensor<float, row, columns>(params.y.get(), rows)[position];

    // The last step may lie beyond the row, where nothing changes the maximum and the sum.
    constexpr float minus_infinity = spio::bits_as<float>(0xff800000U);
    float values[steps.get()];
    float largest = minus_infinity;
#pragma unroll
    for (auto const step : spio::range(steps)) {
        float& value = values[step.get()];
        value = x[step].inbounds() ? params.scale * *x[step] : minus_infinity;
        largest = value > largest ? value : largest;
    }
    largest = spio::reduce_lanes(largest, [](float a, float b) { return a > b ? a : b; });

    float sum = 0;
#pragma unroll
    for (auto const step : spio::range(steps)) {
        float& value = values[step.get()];
        value = spio::exponential(value - largest);
        sum += value;
    }
    sum = spio::sum_lanes(sum);

#pragma unroll
    for (auto const step : spio::range(steps)) {
        if (y[step].inbounds()) *y[step] = values[step.get()] / sum;
    }
}

} // namespace softmax
