// Launches grouped convolutions and their gradients.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a call. fprop is the forward pass, dgrad computes the
// gradient of the input, wgrad that of the filter; y is the output and dy its gradient. The host
// device simulates a GPU on the CPU. A target is a device with the stream of a launch; ready()
// finds what was made for an earlier problem of the same sizes, or has the kernels loaded now.
// `memory` is a tensor where kernels can access it, which on the host device is a copy. A window is
// the strides, the padding and the dilation.
#include "launches.h"
#include "machine.h"

#include <cstddef>
#include <memory>
#include <string>

import spio.conv2d;
import spio.conv2d.launch;
import spio.launch;
import spio.runtime;
import spio.spec;

namespace spio::pytorch {

namespace {

// The number of images is left to the launch, so that the last batch of an epoch, which is smaller,
// takes the same kernels. The host device has kernels for any size of an image.
conv2d::problem problem_of(conv2d_sizes const& sizes, conv2d::direction pass, bool is_host) {
    return {.n = sizes.n,
            .c = sizes.c,
            .h = sizes.h,
            .w = sizes.w,
            .r = sizes.r,
            .s = sizes.s,
            .pad_h = sizes.window.pad_h,
            .pad_w = sizes.window.pad_w,
            .pass = pass,
            .made_for = is_host ? conv2d::known_sizes::any_image : conv2d::known_sizes::any_n,
            .type = sizes.type == element::bf16 ? conv2d::element_type::bf16
                                                : conv2d::element_type::fp16,
            .stride_h = sizes.window.stride_h,
            .stride_w = sizes.window.stride_w,
            .dilation_h = sizes.window.dilation_h,
            .dilation_w = sizes.window.dilation_w};
}
// The fields that choose a problem's kernels. The number of images comes with the launch.
key key_of(conv2d::problem const& p) {
    return {p.c,
            p.h,
            p.w,
            p.r,
            p.s,
            p.pad_h,
            p.pad_w,
            static_cast<int>(p.pass),
            p.bias,
            static_cast<int>(p.gradient),
            static_cast<int>(p.type),
            p.stride_h,
            p.stride_w,
            p.dilation_h,
            p.dilation_w};
}

std::size_t x_size(conv2d::problem const& p) { return product({p.n, p.h, p.w, p.c}); }
std::size_t y_size(conv2d::problem const& p) { return product({p.n, p.p(), p.q(), p.c}); }
std::size_t filter_size(conv2d::problem const& p) {
    return product({p.c, p.taps(), conv2d::group_width});
}

// The convolution or weight gradient for a problem, with its kernels loaded.
template <class Class>
std::shared_ptr<Class const> ready(by_key<Class>& table, target const& target,
                                   conv2d::problem const& problem) {
    return table.find(key_of(problem), [&] {
        auto const arch = target.home.runtime.arch();
        if (!arch.is_host) return std::make_shared<Class const>(target.loader(), problem);
        // The host device has kernels of one configuration for all sizes, that of 2 images of
        // 12 x 12.
        auto const config = conv2d::best_config(problem.with(2, 12, 12), arch);
        return std::make_shared<Class const>(target.loader(), problem, config);
    });
}

// Forward, and the gradient of x, of elements of type T.
template <class T>
void correlate(target const& target, conv2d::problem const& problem, void const* input,
               void const* filter, float const* bias, void* output) {
    using namespace conv2d;
    auto const convolution = ready(target.home.convolutions, target, problem);
    bool const is_forward = problem.pass == direction::fprop;
    memory<T const> const x(target, input, is_forward ? x_size(problem) : y_size(problem));
    memory<T const> const weight(target, filter, filter_size(problem));
    memory<float const> const shift(target, bias, product({problem.c}));
    memory<T> const y(target, output, is_forward ? y_size(problem) : x_size(problem));
    auto const sizes = correlation_of(problem);
    convolution->launch(
        *target.stream,
        {.input = tensor_at<input_of<T const>>(x.data(), N(problem.n), H(sizes.h), W(sizes.w),
                                               C(problem.c)),
         .filter =
             tensor_at<filter_of<T const>>(weight.data(), K(problem.c), R(problem.r), S(problem.s)),
         .bias = tensor_at<bias_of<float const>>(shift.data(), K(problem.bias ? problem.c : 0)),
         .output = tensor_at<output_of<T>>(y.data(), N(problem.n), P(sizes.p), Q(sizes.q),
                                           K(problem.c))});
    y.finish(target);
}
// Launches fprop or dgrad, the problem's pass, on tensors at these addresses; `bias` may be null.
void correlate(target const& target, conv2d::problem const& problem, void const* input,
               void const* filter, float const* bias, void* output) {
    bool const is_half = problem.type == conv2d::element_type::fp16;
    auto const function = is_half ? correlate<half> : correlate<bfloat16>;
    function(target, problem, input, filter, bias, output);
}

conv2d::problem problem_of(weight_gradient_request const& request, bool is_host) {
    auto problem = problem_of(request.sizes, conv2d::direction::wgrad, is_host);
    problem.bias = request.has_bias;
    problem.gradient =
        request.has_float_result ? conv2d::precision::fp32 : conv2d::precision_of(problem.type);
    return problem;
}

// The gradients of the filter and the bias, from x and dy of elements of type T.
template <class Gradient, class T>
void differentiate(target const& target, conv2d::problem const& problem,
                   weight_gradient_memory const& tensors) {
    using namespace conv2d;
    auto const gradient = ready(target.home.gradients, target, problem);
    memory<T const> const x(target, tensors.x, x_size(problem));
    memory<T const> const dy(target, tensors.dy, y_size(problem));
    memory<Gradient> const dw(target, tensors.dw, filter_size(problem));
    memory<float> const dbias(target, tensors.dbias, product({problem.c}));
    memory<float> const workspace(target, tensors.workspace, tensors.workspace_floats);
    using args = wgrad_args<Gradient, T>;
    gradient->launch(
        *target.stream,
        args{.x = tensor_at<input_of<T const>>(x.data(), N(problem.n), H(problem.h), W(problem.w),
                                               C(problem.c)),
             .dy = tensor_at<decltype(args::dy)>(dy.data(), N(problem.n), P(problem.p()),
                                                 Q(problem.q()), K(problem.c)),
             .dw = tensor_at<filter_of<Gradient>>(dw.data(), K(problem.c), R(problem.r),
                                                  S(problem.s)),
             .dbias = tensor_at<bias_of<float>>(dbias.data(), K(problem.bias ? problem.c : 0)),
             .workspace = tensor_at<floats>(workspace.data(),
                                            FLOAT(static_cast<int>(tensors.workspace_floats)))});
    dw.finish(target);
    dbias.finish(target);
}

conv2d::direction direction_named(std::string const& name) {
    if (name == "dgrad") return conv2d::direction::dgrad;
    return name == "wgrad" ? conv2d::direction::wgrad : conv2d::direction::fprop;
}

} // namespace

double conv2d_microseconds(conv2d_sizes const& sizes, bool has_bias, std::string const& pass,
                           std::string const& arch) {
    auto problem = problem_of(sizes, direction_named(pass), false);
    problem.bias = has_bias && problem.pass != conv2d::direction::dgrad;
    auto const chip = parse_arch(arch);
    return explain(problem, best_config(problem, chip), chip).microseconds;
}

void conv2d(place const& place, conv2d_sizes const& sizes, void const* x, void const* filter,
            float const* bias, void* y) {
    target const target(place);
    auto problem = problem_of(sizes, conv2d::direction::fprop, target.home.is_host());
    problem.bias = bias != nullptr;
    correlate(target, problem, x, filter, bias, y);
}

void conv2d_input_gradient(place const& place, conv2d_sizes const& sizes, void const* dy,
                           void const* filter, void* dx) {
    target const target(place);
    correlate(target, problem_of(sizes, conv2d::direction::dgrad, target.home.is_host()), dy,
              filter, nullptr, dx);
}

std::size_t workspace_floats(place const& place, weight_gradient_request const& request) {
    target const target(place);
    return ready(target.home.gradients, target, problem_of(request, target.home.is_host()))
        ->workspace_floats();
}

void conv2d_weight_gradient(place const& place, weight_gradient_request const& request,
                            weight_gradient_memory const& tensors) {
    target const target(place);
    auto const problem = problem_of(request, target.home.is_host());
    bool const is_half = problem.type == conv2d::element_type::fp16;
    auto const function =
        request.has_float_result
            ? (is_half ? differentiate<float, half> : differentiate<float, bfloat16>)
            : (is_half ? differentiate<half, half> : differentiate<bfloat16, bfloat16>);
    function(target, problem, tensors);
}

} // namespace spio::pytorch
