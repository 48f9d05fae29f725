// Convolutions that PyTorch differentiates without Python: operators of aten, by Spio's kernels.
// SPDX-License-Identifier: Apache-2.0
//
// aten is PyTorch's own library of operators. Two of them have gradients in C++ and leave their
// work to backends: convolution_overrideable, and _mps_convolution, which Apple's GPUs have.
// PyTorch's own convolutions on a CPU and on GPUs of CUDA take neither. The second one has fewer
// arguments and is called in half the time, so it comes first; the first one is for a PyTorch
// without it. The operators of Spio could have gradients in Python alone. A window is the stride,
// the padding and the dilation.
#include "operators.h"
#include "tensors.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace spio::pytorch {

namespace {

using numbers = std::vector<std::int64_t>;

// The window of a call of aten; refuses what Spio has no kernels for.
window window_of(Tensor const& input, numbers const& stride, numbers const& padding,
                 numbers const& dilation, std::int64_t groups) {
    if (stride.size() != 2 || padding.size() != 2 || dilation.size() != 2)
        fail("spio::conv2d: Spio has convolutions of images, whose stride, padding and "
             "dilation have two numbers each");
    if (input.dim() == 4 && groups != input.size(1) / 8)
        fail("spio::conv2d: there are ", groups, " groups of ", input.size(1),
             " channels, but Spio has groups of 8");
    return checked_window(stride[0], stride[1], padding[0], padding[1], dilation[0], dilation[1]);
}
// Refuses a convolution that is transposed, which Spio does not have.
void check_direction(bool is_transposed, numbers const& output_padding) {
    if (is_transposed)
        fail("aten::convolution_overrideable: Spio has convolutions of "
             "images, and none that is transposed");
    if (std::ranges::any_of(output_padding, [](auto number) { return number != 0; }))
        fail("aten::convolution_overrideable: a padding of the output is for transposed "
             "convolutions, which Spio does not have");
}

// The weight as kernels take it: in the type of the input.
Tensor in_type(Tensor const& weight, ScalarType type) {
    if (weight.scalar_type() == type) return weight;
    using namespace torch::headeronly;
    return torch::stable::to(weight, type, /*layout=*/std::nullopt, /*device=*/std::nullopt,
                             /*pin_memory=*/std::nullopt, /*non_blocking=*/false, /*copy=*/false,
                             MemoryFormat::ChannelsLast);
}
// The bias as kernels take it: float32 in place of 16 bits.
std::optional<Tensor> in_floats(std::optional<Tensor> const& bias) {
    bool const is_short = bias && (bias->scalar_type() == ScalarType::Half ||
                                   bias->scalar_type() == ScalarType::BFloat16);
    return is_short ? torch::stable::to(*bias, ScalarType::Float) : bias;
}

// A weight in floats beside an input in a shorter type is rounded for the products; its gradient is
// not rounded.
Tensor convolution(Tensor const& input, Tensor const& weight, std::optional<Tensor> const& bias,
                   numbers const& padding, numbers const& stride, numbers const& dilation,
                   std::int64_t groups) {
    check_process(input);
    if (has_no_images(input))
        return no_images(
            convolution(image_for(input), weight, bias, padding, stride, dilation, groups));
    auto const function = input.is_cuda() ? conv2d_by_kernels : conv2d_on_cpu;
    return function(input, in_type(weight, input.scalar_type()), in_floats(bias),
                    window_of(input, stride, padding, dilation, groups));
}
Tensor convolution_overrideable(Tensor const& input, Tensor const& weight,
                                std::optional<Tensor> const& bias, numbers const& stride,
                                numbers const& padding, numbers const& dilation, bool is_transposed,
                                numbers const& output_padding, std::int64_t groups) {
    check_direction(is_transposed, output_padding);
    return convolution(input, weight, bias, padding, stride, dilation, groups);
}

using three_gradients = std::tuple<Tensor, Tensor, Tensor>;

// The gradients of the input, the weight and the bias; undefined where one is not wanted.
three_gradients convolution_gradients(Tensor const& input, Tensor const& gradient,
                                      Tensor const& weight, numbers const& padding,
                                      numbers const& stride, numbers const& dilation,
                                      std::int64_t groups, std::vector<bool> const& wanted) {
    check_process(input);
    if (has_no_images(input) && has_no_images(gradient)) {
        auto [dx, dweight, dbias] =
            convolution_gradients(image_for(input), image_for(gradient), weight, padding, stride,
                                  dilation, groups, wanted);
        return {wanted[0] ? no_images(dx) : dx, dweight, dbias};
    }
    auto const window = window_of(input, stride, padding, dilation, groups);
    bool const is_on_gpu = input.is_cuda();
    Tensor dx, dweight, dbias;
    if (wanted[0]) {
        auto const function = is_on_gpu ? input_gradient_by_kernels : input_gradient_on_cpu;
        dx = function(gradient, in_type(weight, input.scalar_type()), input.size(2), input.size(3),
                      window);
    }
    if (wanted[1] || wanted[2]) {
        auto const function = is_on_gpu ? weight_gradient_by_kernels : weight_gradient_on_cpu;
        auto const [weight_gradient, bias_gradient] =
            function(gradient, input, weight.size(2), weight.size(3), window, wanted[2],
                     weight.scalar_type() == ScalarType::Float);
        if (wanted[1]) dweight = weight_gradient;
        if (wanted[2]) dbias = bias_gradient;
    }
    return {dx, dweight, dbias};
}
three_gradients convolution_backward_overrideable(Tensor const& gradient, Tensor const& input,
                                                  Tensor const& weight, numbers const& stride,
                                                  numbers const& padding, numbers const& dilation,
                                                  bool is_transposed, numbers const& output_padding,
                                                  std::int64_t groups,
                                                  std::vector<bool> const& wanted) {
    check_direction(is_transposed, output_padding);
    return convolution_gradients(input, gradient, weight, padding, stride, dilation, groups,
                                 wanted);
}

// The functions find out by their arguments where they run.
void add_functions(auto& library) {
    library.impl("_mps_convolution", TORCH_BOX(&convolution));
    library.impl("mps_convolution_backward", TORCH_BOX(&convolution_gradients));
    library.impl("convolution_overrideable", TORCH_BOX(&convolution_overrideable));
    library.impl("convolution_backward_overrideable",
                 TORCH_BOX(&convolution_backward_overrideable));
}

} // namespace

STABLE_TORCH_LIBRARY_IMPL(aten, CUDA, library) { add_functions(library); }
STABLE_TORCH_LIBRARY_IMPL(aten, CPU, library) { add_functions(library); }

} // namespace spio::pytorch
