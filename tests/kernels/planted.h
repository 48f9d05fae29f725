// Kernels with one bug each, on purpose, for the tools that must find it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace spio::planted {

struct N : dim {
    using dim::dim;
};
inline constexpr auto n = axis<N>(64);
using row = tensor<float, n>;

struct params {
    float* input;
    float* output;
};

} // namespace spio::planted
