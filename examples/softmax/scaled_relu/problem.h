// y = relu(scale * x + bias), by channels: dimensions, problem and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// axis<Pixel>(dynamic) is the dimension Pixel, with as many values as the caller says. A tensor is
// a pointer with axes, outermost first.
#pragma once

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

} // namespace scaled_relu
