// Convolution kernels for any batch size run on the host device; wrong arguments are refused.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. A policy
// says whether images come from packs (files of them), from a compiler at run time, or both. The
// passes of a convolution are fprop (forward), dgrad (the gradient of the input) and wgrad (that of
// the filter). no_source stands for packs, or for a compiler, where there are none. A typed_spec is
// a spec with the type of its parameters.
#include <doctest/doctest.h>

#include "conv2d/problem.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

import spio.conv2d;
import spio.conv2d.launch;
import spio.host;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;
using conv2d::C;
using conv2d::H;
using conv2d::K;
using conv2d::N;
using conv2d::P;
using conv2d::Q;
using conv2d::R;
using conv2d::S;
using conv2d::W;

namespace {

// The problem of one pass, as it stands in kernels.manifest.
conv2d::problem layer_of(char const* pass) {
    return parse<conv2d::problem>("conv2d",
                                  "n=2 c=8 h=5 w=6 made_for=any_n pass=" + std::string(pass));
}

// A runtime whose device is the host and whose kernels are compiled into this program.
struct host_runtime {
    device home = host_device({host::allocate, host::release});
    host::compiled_in shipped;
    no_source no_compiler;
    spio::images images{shipped, no_compiler, policy::aot_only};
    spio::kernels kernels{home};

    device const& target_device() const { return home; }
    template <class Params> kernel<Params> load(typed_spec<Params> const& spec) const {
        return kernels.load(images.find(spec));
    }
};

// n images and their output gradients in fp16; every element is 1.
struct image_batch {
    array<half> x, y;
    int n;

    image_batch(host_runtime const& runtime, stream const& stream, int count)
        : x(runtime.target_device(), static_cast<std::size_t>(count) * 5 * 6 * 8, "x"),
          y(runtime.target_device(), x.size(), "y"),
          n(count) {
        std::vector<unsigned short> const ones(x.size(), 0x3c00); // 1 in fp16
        stream.write(x, std::span<unsigned short const>(ones));
        stream.write(y, std::span<unsigned short const>(ones));
        stream.synchronize();
    }
    conv2d::input_of<half const> input() const {
        return x.as<conv2d::input_of<half const>>(N(n), H(5), W(6), C(8));
    }
};

// The reason of the error that f throws, or "none".
std::string reason_of(auto const& f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("one kernel serves every batch, and tensors of other sizes are refused") {
    host_runtime const runtime;
    stream const stream(runtime.target_device());
    conv2d::convolution const forward(runtime, layer_of("fprop"));
    array<half> const filter(runtime.target_device(), 8 * 9 * 8, "filter");
    std::vector<unsigned short> const ones(filter.size(), 0x3c00);
    stream.write(filter, std::span<unsigned short const>(ones));
    auto const launch = [&](image_batch const& batch, int rows) {
        forward.launch(
            stream, {.input = batch.input(),
                     .filter = filter.as<conv2d::filter_of<half const>>(K(8), R(rows), S(3)),
                     .output = batch.y.as<conv2d::output_of<half>>(N(batch.n), P(5), Q(6), K(8))});
    };
    for (int const n : {1, 3}) {
        image_batch const batch(runtime, stream, n);
        launch(batch, 3);
        std::vector<unsigned short> result(batch.y.size());
        stream.read(std::span(result), batch.y);
        stream.synchronize();
        // Nine taps of eight channels inside, four in the corners.
        CHECK(result[8 * (6 + 1)] == 0x5480); // 72
        CHECK(result.front() == 0x5000);      // 32
        CHECK(result.back() == 0x5000);
        CHECK(reason_of([&] { launch(batch, 2); }) ==
              "the tensors have other sizes: input " + std::to_string(n) + " x 5 x 6 x 8, output " +
                  std::to_string(n) +
                  " x 5 x 6 x 8, the filter 8 x 2 x 3, the bias 0; the kernel takes input " +
                  std::to_string(n) + " x 5 x 6 x 8, output " + std::to_string(n) +
                  " x 5 x 6 x 8, the filter 8 x 3 x 3, the bias 0");
    }
    CHECK(reason_of([&] {
              conv2d::convolution(runtime, layer_of("fprop"),
                                  conv2d::best_config(layer_of("wgrad"), host_arch));
          }).find(" makes no fprop") != std::string::npos);
    CHECK(reason_of([&] {
              conv2d::convolution(runtime, layer_of("wgrad"));
          }).find("the class convolution makes no wgrad, weight_gradient does") !=
          std::string::npos);
    CHECK(reason_of([&] {
              conv2d::weight_gradient(runtime, layer_of("dgrad"));
          }).find("the class weight_gradient makes no dgrad, convolution does") !=
          std::string::npos);
}

TEST_CASE("a weight gradient needs its whole workspace, and a dw of its own element type") {
    host_runtime const runtime;
    stream const stream(runtime.target_device());
    // Two images are one split, whose sums are the gradients; those of 128 are several.
    CHECK(conv2d::weight_gradient(runtime, layer_of("wgrad")).workspace_floats() == 0);
    conv2d::weight_gradient const gradient(runtime, layer_of("wgrad").with(128, 5, 6));
    array<float> const workspace(runtime.target_device(), gradient.workspace_floats(), "workspace");
    auto const size = static_cast<int>(workspace.size());
    auto const whole_workspace = workspace.as<conv2d::floats>(conv2d::FLOAT(size)),
               short_workspace = workspace.as<conv2d::floats>(conv2d::FLOAT(size - 1));
    array<float> const dw(runtime.target_device(), 8 * 9 * 8, "dw");
    array<half> const fp16_dw(runtime.target_device(), dw.size(), "dw");
    auto const arguments = [&]<class T>(image_batch const& batch, array<T> const& filter_gradient,
                                        conv2d::floats partial_sums) {
        using gradient_of_y = decltype(conv2d::wgrad_args<T>::dy);
        return conv2d::wgrad_args<T>{
            .x = batch.input(),
            .dy = batch.y.as<gradient_of_y>(N(batch.n), P(5), Q(6), K(8)),
            .dw = filter_gradient.template as<conv2d::filter_of<T>>(K(8), R(3), S(3)),
            .workspace = partial_sums};
    };
    for (int const n : {1, 3}) {
        image_batch const batch(runtime, stream, n);
        gradient.launch(stream, arguments(batch, dw, whole_workspace));
        std::vector<float> result(dw.size());
        stream.read(std::span(result), dw);
        stream.synchronize();
        CHECK(result[8 * 4] == static_cast<float>(30 * n));  // the middle tap meets 5 x 6 pixels
        CHECK(result.front() == static_cast<float>(20 * n)); // the first one 4 x 5
        CHECK(reason_of([&] { gradient.launch(stream, arguments(batch, dw, short_workspace)); }) ==
              "the workspace has " + std::to_string(size - 1) + " floats, of at least " +
                  std::to_string(size) + "; pass an array of workspace_floats() floats");
        CHECK(reason_of([&] {
                  gradient.launch(stream, arguments(batch, fp16_dw, whole_workspace));
              }) == "dw is of fp16, but the kernel makes fp32");
    }
    image_batch const batch(runtime, stream, 1);
    auto shifted = arguments(batch, dw, whole_workspace);
    shifted.dw = conv2d::filter_of<float>(dw.data() + 1, K(8), R(3), S(3));
    CHECK(reason_of([&] { gradient.launch(stream, shifted); }) ==
          "dw begins at no multiple of 16 bytes");
    shifted.dw = conv2d::filter_of<float>(nullptr, K(8), R(3), S(3));
    CHECK(reason_of([&] { gradient.launch(stream, shifted); }) == "dw is a null pointer");
    image_batch const empty_batch(runtime, stream, 0);
    CHECK(reason_of([&] {
              gradient.launch(stream, arguments(empty_batch, dw, whole_workspace));
          }) == "the tensors have other sizes: x 0 x 5 x 6 x 8, dy 0 x 5 x 6 x 8, dw 8 x 3 x 3, "
                "dbias 0; the "
                "kernel takes x 1 x 5 x 6 x 8, dy 1 x 5 x 6 x 8, dw 8 x 3 x 3, dbias 0");
}
