// y = relu(scale * x + bias), by channels: how the problem becomes a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// A specification is what a kernel is compiled from, a manifest a list of kernels to compile.
module;

#include "scaled_relu/problem.h"

#include <span>
#include <tuple>

export module scaled_relu;

import spio.spec;

// A problem without fields.
template <> struct spio::field_table<scaled_relu::problem> {
    static constexpr auto fields = std::tuple();
};

export namespace scaled_relu {

using scaled_relu::Channel, scaled_relu::Pixel, scaled_relu::problem;
using scaled_relu::factors, scaled_relu::input, scaled_relu::output, scaled_relu::params;

// The text of problem.h and scaled_relu.cuh; spio_add_family() writes this function.
std::span<spio::header const> kernel_text();

// The specification of the kernel, and the number of blocks of a launch with these parameters.
inline spio::typed_spec<params> specialize(problem const& problem, spio::arch arch) {
    return spio::specialized<params>(
        spio::specialization_of("scaled_relu", problem, arch, {.block = {threads}}, kernel_text()),
        [problem](params const& params) {
            auto const channels = params.y.extent<Channel>();
            spio::check_launch(params.x.extents() == params.y.extents() &&
                                   params.scale.extent<Channel>() == channels &&
                                   params.bias.extent<Channel>() == channels,
                               "scaled_relu", problem,
                               "x must be as large as y, and scale and bias have its channels");
            return spio::extent{params.y.extent<Pixel>().value *
                                spio::divup(channels.value, threads)};
        });
}

// How a line of a manifest, `scaled_relu`, becomes a specification.
inline spio::family const& family_entry() {
    static constexpr auto family = spio::family_of<"scaled_relu", specialize>(kernel_text);
    return family;
}

} // namespace scaled_relu
