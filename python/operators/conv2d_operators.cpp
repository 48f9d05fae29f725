// Convolutions and LayerNorm as operators: sizes checked in the caller's words, kernels launched.
// SPDX-License-Identifier: Apache-2.0
//
// Images are tensors n c h w in PyTorch's words; kernels take them as n h w c, which is
// channels_last. An operator is a function that PyTorch calls by name; those that end in
// _by_kernels launch Spio's kernels. A window is the strides, the padding and the dilation of a
// convolution.
#include "launches.h"
#include "operators.h"
#include "tensors.h"

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

namespace spio::pytorch {

window checked_window(std::int64_t stride_h, std::int64_t stride_w, std::int64_t pad_h,
                      std::int64_t pad_w, std::int64_t dilation_h, std::int64_t dilation_w) {
    auto const checked = [](char const* name, std::int64_t number, int least, int most) {
        if (number < least || number > most)
            fail("spio::conv2d: ", name, " is ", number, ", but must be ", least, " to ", most);
        return static_cast<int>(number);
    };
    constexpr int most_padding = (1 << 20) - 1;
    return {.stride_h = checked("stride_h", stride_h, 1, 2),
            .stride_w = checked("stride_w", stride_w, 1, 2),
            .pad_h = checked("pad_h", pad_h, 0, most_padding),
            .pad_w = checked("pad_w", pad_w, 0, most_padding),
            .dilation_h = checked("dilation_h", dilation_h, 1, 2),
            .dilation_w = checked("dilation_w", dilation_w, 1, 2)};
}

sizes_4d image_sizes(char const* name, std::array<std::int64_t, 4> const& sizes) {
    auto const [n, c, h, w] = sizes;
    sizes_4d result = {};
    int count = 1;
    for (std::size_t i = 0; i < 4; ++i) {
        if (sizes[i] <= 0 || sizes[i] > INT_MAX / count)
            fail("spio::conv2d: ", name, " is ", n, " x ", c, " x ", h, " x ", w,
                 ", but must have 1 to ", INT_MAX, " elements");
        result[i] = static_cast<int>(sizes[i]);
        count *= result[i];
    }
    return result;
}

namespace {

void check_filter(std::int64_t r, std::int64_t s) {
    if (r <= 0 || s <= 0 || r > 7 || s > 7)
        fail("spio::conv2d: the filter is ", r, " x ", s, ", but must be 1 x 1 to 7 x 7");
}

} // namespace

conv2d_sizes checked_sizes(Tensor const& input, Tensor const& weight, window const& window) {
    auto const [n, c, h, w] = sizes_of("conv2d", "the input", input);
    auto const [k, width, r, s] = sizes_of("conv2d", "the weight", weight);
    if (k != c || width != 8)
        fail("spio::conv2d: the weight is ", text_of({k, width, r, s}), ", but must be ", c,
             " x 8 x r x s for ", c, " channels in groups of 8");
    check_filter(r, s);
    if (input.scalar_type() != weight.scalar_type())
        fail("spio::conv2d: the input is ", torch::headeronly::toString(input.scalar_type()),
             " and the weight ", torch::headeronly::toString(weight.scalar_type()));
    check_same_device("conv2d", input, weight);
    return {.n = n, .c = c, .h = h, .w = w, .r = r, .s = s, .window = window};
}

sizes_4d output_sizes(conv2d_sizes const& s) {
    auto const& window = s.window;
    // What is left of the padded image beside the filter in its first place.
    auto const rest_h = std::int64_t(s.h) + 2 * window.pad_h - window.dilation_h * (s.r - 1) - 1;
    auto const rest_w = std::int64_t(s.w) + 2 * window.pad_w - window.dilation_w * (s.s - 1) - 1;
    if (rest_h < 0 || rest_w < 0)
        fail("spio::conv2d: an image of ", s.h, " x ", s.w, " with a padding of ", window.pad_h,
             " and ", window.pad_w, " is smaller than the filter of ", s.r, " x ", s.s,
             " with a dilation of ", window.dilation_h, " and ", window.dilation_w);
    return image_sizes("the result",
                       {s.n, s.c, rest_h / window.stride_h + 1, rest_w / window.stride_w + 1});
}

conv2d_sizes input_gradient_sizes(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                                  std::int64_t w, window const& window) {
    auto const y_sizes = sizes_of("conv2d_input_gradient", "the gradient", gradient);
    auto sizes = checked_sizes(gradient, weight, window);
    auto const x_sizes = image_sizes("the gradient of the input", {sizes.n, sizes.c, h, w});
    sizes.h = x_sizes[2];
    sizes.w = x_sizes[3];
    auto const expected = output_sizes(sizes);
    if (y_sizes != expected)
        fail("spio::conv2d_input_gradient: the gradient is ", text_of(y_sizes),
             ", but the result for an input of ", text_of(x_sizes), " is ", text_of(expected));
    return sizes;
}

conv2d_sizes weight_gradient_sizes(Tensor const& gradient, Tensor const& input, std::int64_t r,
                                   std::int64_t s, window const& window) {
    char const* const name = "conv2d_weight_gradient";
    auto const [n, c, h, w] = sizes_of(name, "the input", input);
    check_filter(r, s);
    check_same_device(name, gradient, input);
    conv2d_sizes const sizes = {.n = n,
                                .c = c,
                                .h = h,
                                .w = w,
                                .r = static_cast<int>(r),
                                .s = static_cast<int>(s),
                                .window = window};
    auto const y_sizes = sizes_of(name, "the gradient", gradient), expected = output_sizes(sizes);
    if (y_sizes != expected || gradient.scalar_type() != input.scalar_type())
        fail("spio::", name, ": the gradient is ", text_of(y_sizes), " of ",
             torch::headeronly::toString(gradient.scalar_type()), ", but must be ",
             text_of(expected), " of ", torch::headeronly::toString(input.scalar_type()));
    return sizes;
}

// The forward pass; below, the gradients of its input and of its weight.
Tensor conv2d_by_kernels(Tensor const& input, Tensor const& weight,
                         std::optional<Tensor> const& bias, window const& window) {
    check_process(input);
    auto sizes = checked_sizes(input, weight, window);
    sizes.type = element_of(conv2d_types, "conv2d", "the input", input);
    auto const x = channels_last(input, {sizes.n, sizes.c, sizes.h, sizes.w});
    auto const filter = channels_last(weight, {sizes.c, 8, sizes.r, sizes.s});
    auto const y = new_channels_last(input, output_sizes(sizes), input.scalar_type());
    auto const shift = bias_of("conv2d", bias, sizes.c, input);
    conv2d(place_of(input), sizes, x.const_data_ptr(), filter.const_data_ptr(), shift.data,
           y.mutable_data_ptr());
    return y;
}

Tensor input_gradient_by_kernels(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                                 std::int64_t w, window const& window) {
    check_process(gradient);
    auto sizes = input_gradient_sizes(gradient, weight, h, w, window);
    sizes.type = element_of(conv2d_types, "conv2d", "the gradient", gradient);
    sizes_4d const x_sizes = {sizes.n, sizes.c, sizes.h, sizes.w};
    auto const dy = channels_last(gradient, output_sizes(sizes));
    auto const filter = channels_last(weight, {sizes.c, 8, sizes.r, sizes.s});
    auto const dx = new_channels_last(gradient, x_sizes, gradient.scalar_type());
    conv2d_input_gradient(place_of(gradient), sizes, dy.const_data_ptr(), filter.const_data_ptr(),
                          dx.mutable_data_ptr());
    return dx;
}

std::tuple<Tensor, Tensor> weight_gradient_by_kernels(Tensor const& gradient, Tensor const& input,
                                                      std::int64_t r, std::int64_t s,
                                                      window const& window, bool has_bias,
                                                      bool has_float_result) {
    check_process(input);
    weight_gradient_request request = {.sizes =
                                           weight_gradient_sizes(gradient, input, r, s, window),
                                       .has_float_result = has_float_result,
                                       .has_bias = has_bias};
    auto const c = request.sizes.c;
    request.sizes.type = element_of(conv2d_types, "conv2d", "the input", input);
    auto const place = place_of(input);
    auto const x = channels_last(input, {request.sizes.n, c, request.sizes.h, request.sizes.w});
    auto const dy = channels_last(gradient, output_sizes(request.sizes));
    auto const floats = workspace_floats(place, request);
    // A cluster of blocks adds its sums without one.
    auto const workspace =
        floats > 0 ? new_dense(input, {static_cast<std::int64_t>(floats)}, ScalarType::Float)
                   : Tensor();
    auto const dw = new_channels_last(input, {c, 8, request.sizes.r, request.sizes.s},
                                      has_float_result ? ScalarType::Float : input.scalar_type());
    auto const dbias = has_bias ? new_dense(input, {c}, ScalarType::Float) : Tensor();
    conv2d_weight_gradient(
        place, request,
        {.x = x.const_data_ptr(),
         .dy = dy.const_data_ptr(),
         .dw = dw.mutable_data_ptr(),
         .dbias = has_bias ? static_cast<float*>(dbias.mutable_data_ptr()) : nullptr,
         .workspace = floats > 0 ? static_cast<float*>(workspace.mutable_data_ptr()) : nullptr,
         .workspace_floats = floats});
    return {dw, dbias};
}

void check_factors(Tensor const& input, std::optional<Tensor> const& weight,
                   std::optional<Tensor> const& bias) {
    if (weight.has_value() != bias.has_value())
        fail("spio::layernorm_2d: there must be both a weight and a bias, or neither");
    check_bias("layernorm_2d", weight, input.size(1), input);
    check_bias("layernorm_2d", bias, input.size(1), input);
}

Tensor layernorm_2d_by_kernels(Tensor const& input, std::optional<Tensor> const& weight,
                               std::optional<Tensor> const& bias, double epsilon) {
    check_process(input);
    auto const sizes = sizes_of("layernorm_2d", "the input", input);
    auto const [n, c, h, w] = sizes;
    auto const type = element_of(layernorm_2d_types, "layernorm_2d", "the input", input);
    check_factors(input, weight, bias);
    auto const positions = std::int64_t(n) * h * w;
    if (positions > INT_MAX)
        fail("spio::layernorm_2d: the input has ", positions, " positions, of at most ", INT_MAX);
    auto const x = channels_last(input, sizes);
    auto const y = new_channels_last(input, sizes, input.scalar_type());
    auto const scale = bias_of("layernorm_2d", weight, c, input);
    auto const shift = bias_of("layernorm_2d", bias, c, input);
    layernorm_2d(place_of(input),
                 {.positions = static_cast<int>(positions),
                  .channels = c,
                  .epsilon = static_cast<float>(epsilon),
                  .type = type},
                 x.const_data_ptr(), scale.data, shift.data, y.mutable_data_ptr());
    return y;
}

} // namespace spio::pytorch
