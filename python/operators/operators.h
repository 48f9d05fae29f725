// The operators that run Spio's kernels, on a GPU or on the host device.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. Images are tensors n c h w in PyTorch's words;
// channels_last is the layout in which the channels of a pixel are neighbours. A window is the
// strides, the padding and the dilation of a convolution.
#pragma once

#include "launches.h"
#include "tensors.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace spio::pytorch {

// Convolutions of groups of 8 channels. Tensors of another layout are copied; results are
// channels_last. The bias has floats, and so has its gradient.
Tensor conv2d_by_kernels(Tensor const& input, Tensor const& weight,
                         std::optional<Tensor> const& bias, window const&);
// The gradient of an input of h x w: with stride 2, inputs of two heights have results of one.
Tensor input_gradient_by_kernels(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                                 std::int64_t w, window const&);
// The gradients of the weight, in floats or in the type of the input, and of the bias, which is
// undefined if there is none.
std::tuple<Tensor, Tensor> weight_gradient_by_kernels(Tensor const& gradient, Tensor const& input,
                                                      std::int64_t r, std::int64_t s, window const&,
                                                      bool has_bias, bool has_float_result);
// The same on the CPU: by the host device, if it is asked for, or by PyTorch's own operators.
Tensor conv2d_on_cpu(Tensor const& input, Tensor const& weight, std::optional<Tensor> const& bias,
                     window const&);
Tensor input_gradient_on_cpu(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                             std::int64_t w, window const&);
std::tuple<Tensor, Tensor> weight_gradient_on_cpu(Tensor const& gradient, Tensor const& input,
                                                  std::int64_t r, std::int64_t s, window const&,
                                                  bool has_bias, bool has_float_result);
// The sizes of the input and the filter of a convolution. Throws if they do not fit each other.
conv2d_sizes checked_sizes(Tensor const& input, Tensor const& weight, window const&);
// Those of gradients: of an input of h x w, and of a weight of r x s. Throw if the gradient of the
// result does not fit.
conv2d_sizes input_gradient_sizes(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                                  std::int64_t w, window const&);
conv2d_sizes weight_gradient_sizes(Tensor const& gradient, Tensor const& input, std::int64_t r,
                                   std::int64_t s, window const&);
// The sizes of the result of a convolution. Throws if the image is smaller than the filter.
sizes_4d output_sizes(conv2d_sizes const&);
// The sizes of an image tensor n c h w. Throws if one is not positive or kernels cannot index it.
sizes_4d image_sizes(char const* name, std::array<std::int64_t, 4> const&);
// A window of numbers from outside. Throws unless kernels have such a window.
window checked_window(std::int64_t stride_h, std::int64_t stride_w, std::int64_t pad_h,
                      std::int64_t pad_w, std::int64_t dilation_h, std::int64_t dilation_w);

// LayerNorm of images over their channels. Weight and bias are floats.
Tensor layernorm_2d_by_kernels(Tensor const& input, std::optional<Tensor> const& weight,
                               std::optional<Tensor> const& bias, double epsilon);
// Refuses factors that are not as many as the channels, or one without the other.
void check_factors(Tensor const& input, std::optional<Tensor> const& weight,
                   std::optional<Tensor> const& bias);

// The activation of this name. Throws if there is none.
activation activation_named(std::string const& name);
// Refuses a product whose factors, bias and residual do not fit.
void check_matmul(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
                  std::optional<Tensor> const& residual, bool has_float_result);
// activation(a b + bias) + residual, for matrices or batches of them.
Tensor matmul_by_kernels(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
                         std::string const& activation, std::optional<Tensor> const& residual,
                         bool has_float_result);

} // namespace spio::pytorch
