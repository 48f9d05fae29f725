// The operators on the CPU as PyTorch's own operators compute them.
// SPDX-License-Identifier: Apache-2.0
//
// An operator is a function that PyTorch calls by name; aten is PyTorch's own library of them. A
// window is the strides, the padding and the dilation of a convolution.
#pragma once

#include "launches.h"

#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace spio::pytorch::aten {

using torch::stable::Tensor;

// A convolution, whose groups follow from the weight. The result is channels_last.
Tensor conv2d(Tensor const& input, Tensor const& weight, std::optional<Tensor> const& bias,
              window const&);
// The gradient of an input of h x w, and those of a weight of r x s and of the bias.
Tensor input_gradient(Tensor const& gradient, Tensor const& weight, std::int64_t h, std::int64_t w,
                      window const&);
std::tuple<Tensor, Tensor> weight_gradient(Tensor const& gradient, Tensor const& input,
                                           std::int64_t r, std::int64_t s, window const&,
                                           bool has_bias, bool has_float_result);
// LayerNorm over the channels of images; activation(a b + bias) + residual.
Tensor layernorm_2d(Tensor const& input, std::optional<Tensor> const& weight,
                    std::optional<Tensor> const& bias, double epsilon);
Tensor matmul(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
              std::string const& activation, std::optional<Tensor> const& residual,
              bool has_float_result);

} // namespace spio::pytorch::aten
