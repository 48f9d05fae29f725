// Launches LayerNorm over the channels of images.
// SPDX-License-Identifier: Apache-2.0
//
// A position is a pixel with all its channels; a problem is the number of channels and whether
// there are a weight and a bias. A place is where kernels run: a stream of a GPU, or the host
// device, which simulates a GPU on the CPU. A target is a device with the stream of a launch;
// `memory` is a tensor where kernels can access it, which on the host device is a copy.
#include "launches.h"
#include "machine.h"

#include <memory>

import spio.launch;
import spio.layernorm_2d;
import spio.runtime;

namespace spio::pytorch {

// Normalizes x into y; weight and bias are floats for each channel, or null.
void layernorm_2d(place const& place, layernorm_2d_request const& request, void const* x,
                  float const* weight, float const* bias, void* y) {
    namespace family = spio::layernorm_2d;
    using params = family::params;
    target const target(place);
    family::problem const problem = {.channels = request.channels, .affine = weight != nullptr};
    auto const kernel = target.home.norms.find({problem.channels, problem.affine}, [&] {
        auto const& runtime = target.home.runtime;
        return std::make_shared<spio::kernel<params> const>(
            target.loader().load(family::specialize(problem, runtime.arch(), runtime.configs())));
    });
    auto const size = product({request.positions, request.channels});
    int const factors = problem.affine ? request.channels : 0;
    memory<half const> const input(target, x, size);
    memory<float const> const scale(target, weight, product({factors}));
    memory<float const> const shift(target, bias, product({factors}));
    memory<half> const output(target, y, size);
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

} // namespace spio::pytorch
