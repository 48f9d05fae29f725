// Launches LayerNorm over the channels of images.
// SPDX-License-Identifier: Apache-2.0
//
// A position is a pixel with all its channels; a problem is the number of channels and whether
// there are a weight and a bias. A place is where kernels run: a stream of a GPU, or the host
// device, which simulates a GPU on the CPU. A target is a device with the stream of a launch;
// `memory` is a tensor where kernels can access it, which on the host device is a copy. A family is
// the kernels of one operation.
#include "launches.h"
#include "machine.h"

#include <memory>
#include <tuple>

import spio.launch;
import spio.layernorm_2d;
import spio.runtime;

namespace spio::pytorch {

namespace {

namespace family = spio::layernorm_2d;

// Normalizes x, of elements of type T, into y.
template <class T>
void normalize(target const& target, layernorm_2d_request const& request, void const* x,
               float const* weight, float const* bias, void* y) {
    using params = family::params_of<T>;
    family::problem const problem = {.channels = request.channels,
                                     .affine = weight != nullptr,
                                     .type = request.type == element::bf16
                                                 ? family::element_type::bf16
                                                 : family::element_type::fp16};
    auto& norms = std::get<by_key<spio::kernel<params>>>(target.home.norms);
    auto const kernel = norms.find({problem.channels, problem.affine}, [&] {
        auto const& runtime = target.home.runtime;
        return std::make_shared<spio::kernel<params> const>(target.loader().load(
            family::specialize<T>(problem, runtime.arch(), runtime.configs())));
    });
    auto const size = product({request.positions, request.channels});
    int const factors = problem.affine ? request.channels : 0;
    memory<T const> const input(target, x, size);
    memory<float const> const scale(target, weight, product({factors}));
    memory<float const> const shift(target, bias, product({factors}));
    memory<T> const output(target, y, size);
    family::X const positions(request.positions);
    family::C const channels(request.channels);
    target.stream->launch(
        *kernel, {.x = tensor_at<decltype(params::x)>(input.data(), positions, channels),
                  .y = tensor_at<decltype(params::y)>(output.data(), positions, channels),
                  .weight = tensor_at<decltype(params::weight)>(scale.data(), family::C(factors)),
                  .bias = tensor_at<decltype(params::bias)>(shift.data(), family::C(factors)),
                  .epsilon = request.epsilon});
    output.finish(target);
}

} // namespace

// Normalizes x into y; weight and bias are floats for each channel, or null.
void layernorm_2d(place const& place, layernorm_2d_request const& request, void const* x,
                  float const* weight, float const* bias, void* y) {
    auto const function = request.type == element::bf16 ? normalize<bfloat16> : normalize<half>;
    function(target(place), request, x, weight, bias, y);
}

} // namespace spio::pytorch
