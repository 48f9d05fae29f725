// The operators of PyTorch: their schemas, and what computes them on which device.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. aten is PyTorch's own library of operators; a schema
// is the text by which PyTorch knows an operator. An operator is a function that PyTorch calls by
// name. TORCH_BOX makes a function one that PyTorch can call with any arguments on its stack.
#include "operators.h"
#include "aten.h"
#include "launches.h"
#include "tensors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace spio::pytorch {

// The operators for tensors on the CPU. While the host device is switched on (uses_host_device()),
// its kernels compute them; otherwise aten does.
Tensor conv2d_on_cpu(Tensor const& input, Tensor const& weight, std::optional<Tensor> const& bias,
                     window const& window) {
    if (uses_host_device()) return conv2d_by_kernels(input, weight, bias, window);
    output_sizes(checked_sizes(input, weight, window)); // throws if the sizes do not fit
    check_bias("conv2d", bias, input.size(1), input);
    return aten::conv2d(input, weight, bias, window);
}
Tensor input_gradient_on_cpu(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                             std::int64_t w, window const& window) {
    if (uses_host_device()) return input_gradient_by_kernels(gradient, weight, h, w, window);
    input_gradient_sizes(gradient, weight, h, w, window); // throws if they do not fit
    return aten::input_gradient(gradient, weight, h, w, window);
}
std::tuple<Tensor, Tensor> weight_gradient_on_cpu(Tensor const& gradient, Tensor const& input,
                                                  std::int64_t r, std::int64_t s,
                                                  window const& window, bool has_bias,
                                                  bool has_float_result) {
    auto const function = uses_host_device() ? weight_gradient_by_kernels : aten::weight_gradient;
    weight_gradient_sizes(gradient, input, r, s, window); // throws if they do not fit
    return function(gradient, input, r, s, window, has_bias, has_float_result);
}

namespace {

// Likewise for LayerNorm and matrix products.
Tensor layernorm_2d_on_cpu(Tensor const& input, std::optional<Tensor> const& weight,
                           std::optional<Tensor> const& bias, double epsilon) {
    auto const function = uses_host_device() ? layernorm_2d_by_kernels : aten::layernorm_2d;
    sizes_of("layernorm_2d", "the input", input); // throws unless it has four
    check_factors(input, weight, bias);
    return function(input, weight, bias, epsilon);
}
Tensor matmul_on_cpu(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
                     std::string const& activation, std::optional<Tensor> const& residual,
                     bool has_float_result) {
    activation_named(activation); // throws if there is none
    auto const function = uses_host_device() ? matmul_by_kernels : aten::matmul;
    check_matmul(a, b, bias, residual, has_float_result);
    return function(a, b, bias, activation, residual, has_float_result);
}

// The estimated time of a pass of a convolution on an architecture, with the configuration that
// Spio would choose. fprop is the forward pass, dgrad the gradient of the input, wgrad that of the
// filter.
double microseconds(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t r,
                    std::int64_t s, std::int64_t stride_h, std::int64_t stride_w,
                    std::int64_t pad_h, std::int64_t pad_w, std::int64_t dilation_h,
                    std::int64_t dilation_w, bool has_bias, std::string const& pass,
                    std::string const& arch) {
    if (pass != "fprop" && pass != "dgrad" && pass != "wgrad")
        fail("spio::conv2d_microseconds: the pass is ", pass,
             ", but must be fprop, dgrad or wgrad");
    // The kernels compute groups of 8 channels, by filters of at most 7 x 7.
    if (c % 8 != 0 || r <= 0 || s <= 0 || r > 7 || s > 7)
        fail("spio::conv2d_microseconds: there are ", c, " channels, and the filter is ", r, " x ",
             s);
    auto const x = image_sizes("the input", {n, c, h, w});
    conv2d_sizes const sizes = {
        .n = x[0],
        .c = x[1],
        .h = x[2],
        .w = x[3],
        .r = static_cast<int>(r),
        .s = static_cast<int>(s),
        .window = checked_window(stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w)};
    output_sizes(sizes); // throws if the sizes do not fit
    return conv2d_microseconds(sizes, has_bias, pass, arch);
}

// The architecture of a GPU, which is opened as the first operator there would open it: 90 for
// sm_90a.
std::int64_t gpu_architecture(std::int64_t gpu) {
    if (gpu < 0 || gpu >= most_gpus) fail("spio::gpu_architecture: there is no GPU ", gpu);
    return architecture({.gpu = static_cast<int>(gpu), .keeps_kernels = is_deterministic()});
}

// The problems of all devices by the kernels that they have: as in problem_counts.
std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t> tiers() {
    auto const counts = count_problems();
    return {counts.begun, counts.unchanged, counts.compiled, counts.taken, counts.failed};
}

// The folder of compiled kernels, and why nothing is kept there.
std::tuple<std::string, std::string> kept() {
    auto const [folder, refusal] = cache_folder();
    return {folder, refusal};
}

// The answer of a function that throws nothing, which TORCH_BOX does not take as it is.
template <auto Function> auto answer() { return Function(); }

// The operators as PyTorch calls them. The window (stride, padding and dilation, each of rows and
// of columns) is passed as six numbers, because a list would make each call slower.

template <auto Function>
Tensor conv2d_of_numbers(Tensor const& input, Tensor const& weight,
                         std::optional<Tensor> const& bias, std::int64_t stride_h,
                         std::int64_t stride_w, std::int64_t pad_h, std::int64_t pad_w,
                         std::int64_t dilation_h, std::int64_t dilation_w) {
    auto const window = checked_window(stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w);
    if (!has_no_images(input)) return Function(input, weight, bias, window);
    return no_images(Function(image_for(input), weight, bias, window));
}
template <auto Function>
Tensor input_gradient_of_numbers(Tensor const& gradient, Tensor const& weight, std::int64_t h,
                                 std::int64_t w, std::int64_t stride_h, std::int64_t stride_w,
                                 std::int64_t pad_h, std::int64_t pad_w, std::int64_t dilation_h,
                                 std::int64_t dilation_w) {
    auto const window = checked_window(stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w);
    if (!has_no_images(gradient)) return Function(gradient, weight, h, w, window);
    return no_images(Function(image_for(gradient), weight, h, w, window));
}
template <auto Function>
std::tuple<Tensor, Tensor>
weight_gradient_of_numbers(Tensor const& gradient, Tensor const& input, std::int64_t r,
                           std::int64_t s, std::int64_t stride_h, std::int64_t stride_w,
                           std::int64_t pad_h, std::int64_t pad_w, std::int64_t dilation_h,
                           std::int64_t dilation_w, bool has_bias, bool has_float_result) {
    // The gradients for no images are those for one of zeros.
    bool const is_empty = has_no_images(gradient) && has_no_images(input);
    auto [dweight, dbias] =
        Function(is_empty ? image_for(gradient) : gradient, is_empty ? image_for(input) : input, r,
                 s, checked_window(stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w),
                 has_bias, has_float_result);
    if (!has_bias) {
        bool const is_double = input.scalar_type() == ScalarType::Double;
        dbias = new_dense(input, {0}, is_double ? ScalarType::Double : ScalarType::Float);
    }
    return {dweight, dbias};
}
template <auto Function>
Tensor layernorm_2d_of_images(Tensor const& input, std::optional<Tensor> const& weight,
                              std::optional<Tensor> const& bias, double epsilon) {
    if (!has_no_images(input)) return Function(input, weight, bias, epsilon);
    return no_images(Function(image_for(input), weight, bias, epsilon));
}

} // namespace

STABLE_TORCH_LIBRARY(spio, library) {
    library.def("conv2d(Tensor input, Tensor weight, Tensor? bias, int stride_h, int stride_w, "
                "int pad_h, int pad_w, int dilation_h, int dilation_w) -> Tensor");
    library.def("conv2d_input_gradient(Tensor gradient, Tensor weight, int h, int w, "
                "int stride_h, int stride_w, int pad_h, int pad_w, int dilation_h, "
                "int dilation_w) -> Tensor");
    library.def("conv2d_weight_gradient(Tensor gradient, Tensor input, int r, int s, "
                "int stride_h, int stride_w, int pad_h, int pad_w, int dilation_h, "
                "int dilation_w, bool has_bias, bool has_float_result) -> (Tensor, Tensor)");
    library.def(
        "layernorm_2d(Tensor input, Tensor? weight, Tensor? bias, float epsilon) -> Tensor");
    library.def("matmul(Tensor a, Tensor b, Tensor? bias, str activation, Tensor? residual, "
                "bool has_float_result) -> Tensor");
    library.def("generic_kernels() -> str");
    library.def("gpu_architecture(int gpu) -> int");
    library.def("is_deterministic() -> bool");
    library.def("is_without_gpus_of_parent() -> bool");
    library.def("use_host_device(bool is_used) -> ()");
    library.def("end_compilations() -> ()");
    library.def("cache_folder() -> (str, str)");
    library.def("finish_compilations() -> ()");
    library.def("count_tiers() -> (int, int, int, int, int)");
    library.def(
        "conv2d_microseconds(int n, int c, int h, int w, int r, int s, int stride_h, "
        "int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w, bool has_bias, "
        "str direction, str arch) -> float");
}

STABLE_TORCH_LIBRARY_IMPL(spio, CUDA, library) {
    library.impl("conv2d", TORCH_BOX(&conv2d_of_numbers<conv2d_by_kernels>));
    library.impl("conv2d_input_gradient",
                 TORCH_BOX(&input_gradient_of_numbers<input_gradient_by_kernels>));
    library.impl("conv2d_weight_gradient",
                 TORCH_BOX(&weight_gradient_of_numbers<weight_gradient_by_kernels>));
    library.impl("layernorm_2d", TORCH_BOX(&layernorm_2d_of_images<layernorm_2d_by_kernels>));
    library.impl("matmul", TORCH_BOX(&matmul_by_kernels));
}

STABLE_TORCH_LIBRARY_IMPL(spio, CPU, library) {
    library.impl("conv2d", TORCH_BOX(&conv2d_of_numbers<conv2d_on_cpu>));
    library.impl("conv2d_input_gradient",
                 TORCH_BOX(&input_gradient_of_numbers<input_gradient_on_cpu>));
    library.impl("conv2d_weight_gradient",
                 TORCH_BOX(&weight_gradient_of_numbers<weight_gradient_on_cpu>));
    library.impl("layernorm_2d", TORCH_BOX(&layernorm_2d_of_images<layernorm_2d_on_cpu>));
    library.impl("matmul", TORCH_BOX(&matmul_on_cpu));
}

STABLE_TORCH_LIBRARY_IMPL(spio, CompositeExplicitAutograd, library) {
    library.impl("is_deterministic", TORCH_BOX(&is_deterministic));
    library.impl("is_without_gpus_of_parent", TORCH_BOX(&answer<is_without_gpus_of_parent>));
    library.impl("generic_kernels", TORCH_BOX(&generic_kernels));
    library.impl("gpu_architecture", TORCH_BOX(&gpu_architecture));
    library.impl("use_host_device", TORCH_BOX(&use_host_device));
    library.impl("end_compilations", TORCH_BOX(&end_compilations));
    library.impl("cache_folder", TORCH_BOX(&kept));
    library.impl("finish_compilations", TORCH_BOX(&finish_compilations));
    library.impl("count_tiers", TORCH_BOX(&tiers));
    library.impl("conv2d_microseconds", TORCH_BOX(&microseconds));
}

} // namespace spio::pytorch
