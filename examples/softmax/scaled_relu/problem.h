// y = relu(scale * x + bias), by channels: dimensions, problem, parameters and launches.
// SPDX-License-Identifier: Apache-2.0
//
// axis<Pixel>(dynamic) is the dimension Pixel, with as many values as the caller says. A tensor is
// a pointer with axes, outermost first.
#pragma once

#include "spio/launch_values.h"
#include "spio/number.h"
#include "spio/tensor.h"
#include "spio/tile/half.h"

namespace scaled_relu {

struct Pixel : spio::dim {
    using dim::dim;
};
struct Channel : spio::dim {
    using dim::dim;
};

// One kernel takes images with any number of channels.
struct problem {};
inline constexpr int threads = 256; // of a block, which takes that many channels of a pixel

inline constexpr auto pixel = spio::axis<Pixel>(spio::dynamic);
inline constexpr auto channel = spio::axis<Channel>(spio::dynamic);
using input = spio::tensor<spio::half const, pixel, channel>;
using output = spio::tensor<spio::half, pixel, channel>;
using factors = spio::tensor<float const, channel>;

// A factor and a summand for each channel.
struct params {
    input x;
    output y;
    factors scale;
    factors bias;
};

// How many threads a block has, and blocks a launch; what the tensors of a launch must satisfy, if
// they do not. CMake makes the module of these.
inline constexpr spio::block_shape shape = {.block = {threads}};
constexpr spio::extent grid(params const& params) {
    auto const channels = params.y.extent<Channel>();
    return {params.y.extent<Pixel>().value * spio::divup(channels.value, threads)};
}
constexpr char const* flaw(params const& params) {
    auto const channels = params.y.extent<Channel>();
    bool const fits = params.x.extents() == params.y.extents() &&
                      params.scale.extent<Channel>() == channels &&
                      params.bias.extent<Channel>() == channels;
    return fits ? nullptr : "x must be as large as y, and scale and bias have its channels";
}

} // namespace scaled_relu
