// A family without an interface of its own: CMake makes its module of problem.h.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation; a spec is what one of them is compiled from, and has
// the number of blocks of a launch. The family is that of examples/softmax/scaled_relu.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

import scaled_relu;
import spio.dims;
import spio.spec;

using scaled_relu::Channel, scaled_relu::Pixel;

namespace {

// Parameters of a launch on images of two sizes, without memory.
scaled_relu::params params_of(Pixel pixels, Channel channels, Channel factors) {
    return {.x = scaled_relu::input(nullptr, pixels, channels),
            .y = scaled_relu::output(nullptr, pixels, channels),
            .scale = scaled_relu::factors(nullptr, factors),
            .bias = scaled_relu::factors(nullptr, channels)};
}

} // namespace

TEST_CASE("shape, grid and flaw of the header are those of the kernel") {
    auto const spec = scaled_relu::specialize({}, spio::sm_90a);
    CHECK(spec.line() == "scaled_relu");
    CHECK(spec.shape == spio::block_shape{.block = {256}});
    CHECK(spec.params_bytes == sizeof(scaled_relu::params));
    CHECK(spec.source.find("scaled_relu::run<scaled_relu::problem{}>(p)") != spec.source.npos);
    CHECK(spec.grid(params_of(Pixel(7), Channel(300), Channel(300))) == spio::extent{14});
    CHECK_THROWS_WITH(
        spec.grid(params_of(Pixel(7), Channel(300), Channel(299))),
        "launch for scaled_relu: x must be as large as y, and scale and bias have its channels");
}

TEST_CASE("the text of the kernel is that of the headers") {
    auto const text = scaled_relu::kernel_text();
    CHECK(std::ranges::count(text, "scaled_relu/problem.h", &spio::header::name) == 1);
    CHECK(std::ranges::count(text, "scaled_relu/scaled_relu.cuh", &spio::header::name) == 1);
}
