// y = relu(scale * x + bias), by channels: the kernel.
// SPDX-License-Identifier: Apache-2.0
//
//     x, scale, bias (global) -> registers -> y (global)
#pragma once

#include "scaled_relu/problem.h"
#include "spio/tile/arithmetic.cuh"
#include "spio/tile/half.cuh"
#include "spio/tile/thread.cuh"

namespace scaled_relu {

// A thread computes one element. The blocks of a pixel follow one another.
template <problem Problem> __device__ void run(params const& params) {
    using Block = spio::fold<Channel, threads>;
    int const blocks_of_pixel = spio::divup(params.y.extent<Channel>().get(), threads);
    auto const position = Pixel(spio::this_block() / blocks_of_pixel) +
                          Block(spio::this_block() % blocks_of_pixel) +
                          Channel(spio::this_thread());
    auto const y = params.y[position];
    if (!y.inbounds()) return;
    float const sum =
        spio::multiply_add(*params.scale[position], *params.x[position], *params.bias[position]);
    *y = spio::half(sum > 0 ? sum : 0);
}

} // namespace scaled_relu
