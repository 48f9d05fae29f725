// Passes of a convolution on the host device, of a batch that only launches know; what is refused.
// SPDX-License-Identifier: Apache-2.0
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

// As kernels.manifest has it.
conv2d::problem layer_of(char const* pass) {
    return parse<conv2d::problem>("conv2d",
                                  "n=2 c=8 h=5 w=6 made_for=any_n pass=" + std::string(pass));
}

// Finds kernels in this program, as a runtime would.
struct from_this_program {
    device home = host_device({host::allocate, host::release});
    host::compiled_in shipped;
    no_source nothing;
    spio::images images{shipped, nothing, policy::aot_only};
    spio::kernels kernels{home};

    device const& on() const { return home; }
    template <class Params> kernel<Params> load(typed_spec<Params> const& of) const {
        return kernels.load(images.find(of));
    }
};

// Ones, in halves.
struct batch {
    array<half> x, y;
    int n;

    batch(from_this_program const& at, stream const& in, int count)
        : x(at.on(), static_cast<std::size_t>(count) * 5 * 6 * 8, "x"),
          y(at.on(), x.size(), "y"),
          n(count) {
        std::vector<unsigned short> const ones(x.size(), 0x3c00);
        in.write(x, std::span<unsigned short const>(ones));
        in.write(y, std::span<unsigned short const>(ones));
        in.synchronize();
    }
    conv2d::input_tensor read() const { return x.as<conv2d::input_tensor>(N(n), H(5), W(6), C(8)); }
};

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
    from_this_program const here;
    stream const in(here.on());
    conv2d::convolution const forward(here, layer_of("fprop"));
    array<half> const filter(here.on(), 8 * 9 * 8, "filter");
    std::vector<unsigned short> const ones(filter.size(), 0x3c00);
    in.write(filter, std::span<unsigned short const>(ones));
    auto const launch = [&](batch const& of, int rows) {
        forward.launch(in, {.input = of.read(),
                            .filter = filter.as<conv2d::filter_of<half const>>(K(8), R(rows), S(3)),
                            .output = of.y.as<conv2d::output_tensor>(N(of.n), P(5), Q(6), K(8))});
    };
    for (int const n : {1, 3}) {
        batch const of(here, in, n);
        launch(of, 3);
        std::vector<unsigned short> made(of.y.size());
        in.read(std::span(made), of.y);
        in.synchronize();
        // Nine taps of eight channels inside, four in the corners.
        CHECK(made[8 * (6 + 1)] == 0x5480); // 72
        CHECK(made.front() == 0x5000);      // 32
        CHECK(made.back() == 0x5000);
        CHECK(reason_of([&] { launch(of, 2); }) ==
              "the tensors have other sizes: input " + std::to_string(n) + " x 5 x 6 x 8, output " +
                  std::to_string(n) + " x 5 x 6 x 8, the filter 8 x 2 x 3, the bias 0");
    }
    CHECK(reason_of([&] {
              conv2d::convolution(here, layer_of("fprop"),
                                  conv2d::best_config(layer_of("wgrad"), host_arch));
          }).find(" makes no fprop") != std::string::npos);
}

TEST_CASE("a weight gradient takes a workspace, and makes what it was made for") {
    from_this_program const here;
    stream const in(here.on());
    conv2d::weight_gradient const both(here, layer_of("wgrad"));
    array<float> const workspace(here.on(), both.workspace_floats(), "workspace");
    auto const size = static_cast<int>(workspace.size());
    auto const enough = workspace.as<conv2d::floats>(conv2d::FLOAT(size)),
               less = workspace.as<conv2d::floats>(conv2d::FLOAT(size - 1));
    array<float> const dw(here.on(), 8 * 9 * 8, "dw");
    array<half> const in_halves(here.on(), dw.size(), "dw");
    auto const arguments = [&]<class T>(batch const& of, array<T> const& made,
                                        conv2d::floats between) {
        using gradient_of_y = decltype(conv2d::wgrad_args<T>::dy);
        return conv2d::wgrad_args<T>{.x = of.read(),
                                     .dy = of.y.as<gradient_of_y>(N(of.n), P(5), Q(6), K(8)),
                                     .dw = made.template as<conv2d::filter_of<T>>(K(8), R(3), S(3)),
                                     .workspace = between};
    };
    for (int const n : {1, 3}) {
        batch const of(here, in, n);
        both.launch(in, arguments(of, dw, enough));
        std::vector<float> made(dw.size());
        in.read(std::span(made), dw);
        in.synchronize();
        CHECK(made[8 * 4] == static_cast<float>(30 * n)); // under the middle tap
        CHECK(made.front() == static_cast<float>(20 * n));
        CHECK(reason_of([&] { both.launch(in, arguments(of, dw, less)); }) ==
              "the workspace has " + std::to_string(size - 1) + " floats, of at least " +
                  std::to_string(size));
        CHECK(reason_of([&] { both.launch(in, arguments(of, in_halves, enough)); }) ==
              "dw is of fp16, but the kernel makes fp32");
    }
    batch const of(here, in, 1);
    auto shifted = arguments(of, dw, enough);
    shifted.dw = conv2d::filter_of<float>(dw.data() + 1, K(8), R(3), S(3));
    CHECK(reason_of([&] { both.launch(in, shifted); }) == "dw begins at no multiple of 16 bytes");
    shifted.dw = conv2d::filter_of<float>(nullptr, K(8), R(3), S(3));
    CHECK(reason_of([&] { both.launch(in, shifted); }) == "dw is not there");
    batch const none(here, in, 0);
    CHECK(reason_of([&] { both.launch(in, arguments(none, dw, enough)); }) ==
          "the tensors have other sizes: x 0 x 5 x 6 x 8, dy 0 x 5 x 6 x 8, dw 8 x 3 x 3, dbias 0");
}
