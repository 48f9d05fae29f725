// Trials of grouped convolutions: their passes on random images, against sums in double.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

module spio.command;

import spio.conv2d;
import spio.conv2d.launch;
import spio.launch;
import spio.spec;

namespace spio::command {

namespace {

using namespace conv2d;

std::size_t elements(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<std::size_t>(a * b * c * d);
}
std::size_t size_of_x(problem const& of) { return elements(of.n, of.h, of.w, of.c); }
std::size_t size_of_y(problem const& of) { return elements(of.n, of.p(), of.q(), of.c); }
std::size_t size_of_filter(problem const& of) { return elements(of.c, of.r, of.s, group_width); }
std::size_t size_of_bias(problem const& of) { return of.bias ? static_cast<std::size_t>(of.c) : 0; }

// Halves that are whole numbers, so small that sums of so many products are exact in float,
// whatever their order.
std::vector<unsigned short> whole_halves(std::mt19937& random, std::size_t size,
                                         long long products) {
    // From -2 to 2, or from -1 to 1.
    constexpr unsigned short all[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
    bool const is_narrow = products > (1LL << 22);
    std::vector<unsigned short> halves(size);
    for (auto& each : halves) each = all[is_narrow ? 1 + random() % 3 : random() % 5];
    return halves;
}

// x, or the gradient of y where that is walked; what is not read by the pass stays empty.
struct data {
    problem of;
    config by;
    std::vector<unsigned short> input, filter, dy;
    std::vector<float> bias;

    void draw(std::mt19937& random) {
        if (of.pass == direction::wgrad) {
            input = whole_halves(random, size_of_x(of), products_of(of));
            dy = whole_halves(random, size_of_y(of), products_of(of));
        } else {
            input =
                random_halves(random, of.pass == direction::dgrad ? size_of_y(of) : size_of_x(of));
            filter = random_halves(random, size_of_filter(of));
            bias = random_floats(random, size_of_bias(of), -2, 2);
        }
    }
};

class correlation_rehearsal : public rehearsal {
  public:
    correlation_rehearsal(stage& at, data const& is)
        : place(at),
          given(is),
          body(at, is.of, is.by),
          input(at.put<half>(is.input, "input")),
          filter(at.put<half>(is.filter, "filter")),
          bias(at.put<float>(is.bias, "bias")),
          output(at.on(), is.of.pass == direction::dgrad ? size_of_x(is.of) : size_of_y(is.of),
                 "output") {}

    void launch(stream const& in) const override {
        auto const& of = given.of;
        correlation const correlation = correlation_of(of);
        body.launch(
            in,
            {.input = input.as<input_tensor>(N(of.n), H(correlation.h), W(correlation.w), C(of.c)),
             .filter = filter.as<filter_of<half const>>(K(of.c), R(of.r), S(of.s)),
             .bias = bias.as<bias_of<float const>>(K(static_cast<int>(size_of_bias(of)))),
             .output =
                 output.as<output_tensor>(N(of.n), P(correlation.p), Q(correlation.q), K(of.c))});
    }

    verdict check(stream const& in) const override {
        place.poison(output);
        launch(in);
        in.synchronize();
        auto const& of = given.of;
        auto const exact = reference(of, given.input, given.filter, given.bias);
        auto const got = place.get(output);
        verdict all;
        for (std::size_t i = 0; i < got.size(); ++i) {
            all.compare(of.pass == direction::dgrad ? "dx" : "y", i, conv2d::number_of(got[i]),
                        exact.values[i],
                        conv2d::bound(products_of(of), exact.values[i], exact.magnitudes[i],
                                      precision::fp16));
        }
        return all;
    }

  private:
    stage const& place;
    data const& given;
    convolution body;
    array<half> input, filter;
    array<float> bias;
    array<half> output;
};

// Its elements are floats or halves.
template <class Gradient> class gradient_rehearsal : public rehearsal {
  public:
    gradient_rehearsal(stage& at, data const& is)
        : place(at),
          given(is),
          both(at, is.of, is.by),
          x(at.put<half>(is.input, "x")),
          dy(at.put<half>(is.dy, "dy")),
          dw(at.on(), size_of_filter(is.of), "dw"),
          dbias(at.on(), size_of_bias(is.of), "dbias"),
          workspace(at.on(), both.workspace_floats(), "workspace") {}

    void launch(stream const& in) const override {
        auto const& of = given.of;
        using gradient_of_y = decltype(wgrad_args<Gradient>::dy);
        both.launch(
            in, wgrad_args<Gradient>{
                    .x = x.as<input_tensor>(N(of.n), H(of.h), W(of.w), C(of.c)),
                    .dy = dy.as<gradient_of_y>(N(of.n), P(of.p()), Q(of.q()), K(of.c)),
                    .dw = dw.template as<filter_of<Gradient>>(K(of.c), R(of.r), S(of.s)),
                    .dbias = dbias.as<bias_of<float>>(K(static_cast<int>(size_of_bias(of)))),
                    .workspace = workspace.as<floats>(FLOAT(static_cast<int>(workspace.size())))});
    }

    // Sums are exact, and a half is the nearest one.
    verdict check(stream const& in) const override {
        if (products_of(given.of) > (1LL << 24)) {
            throw failure(exit_code::usage,
                          "sums of " + std::to_string(products_of(given.of)) +
                              " products are not exact in float, so that --check knows no bound; "
                              "it does up to " +
                              std::to_string(1LL << 24));
        }
        place.poison(dw);
        place.poison(dbias);
        place.poison(workspace);
        launch(in);
        in.synchronize();
        auto const exact = reference_gradients(given.of, given.input, given.dy);
        verdict all;
        auto const compare = [&](char const* name, auto const& got, double_sums const& sums,
                                 double rounding) {
            for (std::size_t i = 0; i < got.size(); ++i) {
                all.compare(name, i, number_in(got[i]), sums.values[i],
                            rounding * std::abs(sums.values[i]));
            }
        };
        compare("dw", place.get(dw), exact.filter,
                given.of.gradient == precision::fp16 ? to_half.unit : 0);
        compare("dbias", place.get(dbias), exact.bias, 0);
        return all;
    }

  private:
    stage const& place;
    data const& given;
    weight_gradient both;
    array<half> x, dy;
    array<Gradient> dw;
    array<float> dbias, workspace;

    static double number_in(float value) { return static_cast<double>(value); }
    static double number_in(unsigned short half_bits) { return conv2d::number_of(half_bits); }
};

class conv2d_trial : public trial {
  public:
    conv2d_trial(conv2d::problem const& of, arch arch, unsigned seed)
        : made{.of = of,
               .by = best_config(of, arch),
               .input = {},
               .filter = {},
               .dy = {},
               .bias = {}},
          specs(specs_of(of, made.by, arch)),
          random(seed) {}
    std::string problem() const override { return text_of(made.of); }
    std::vector<spec> kernels() const override { return specs; }
    std::uint64_t bytes_moved() const override {
        auto const& of = made.of;
        bool const is_wide = of.pass == direction::wgrad && of.gradient == precision::fp32;
        return 2 * (size_of_x(of) + size_of_y(of)) + (is_wide ? 4 : 2) * size_of_filter(of) +
               4 * size_of_bias(of);
    }
    std::unique_ptr<rehearsal> on(stage& at) override {
        if (made.input.empty()) made.draw(random);
        if (made.of.pass != direction::wgrad)
            return std::make_unique<correlation_rehearsal>(at, made);
        if (made.of.gradient == precision::fp16) {
            return std::make_unique<gradient_rehearsal<half>>(at, made);
        }
        return std::make_unique<gradient_rehearsal<float>>(at, made);
    }

  private:
    data made;
    std::vector<spec> specs;
    std::mt19937 random;
};

} // namespace

trial_family const& conv2d_trials() {
    static trial_family const one = {
        .name = "conv2d",
        .meaning = "a pass of a convolution with groups of 8 channels, of images in halves",
        .example = "n=2 c=16 h=14 w=14 pass=fprop",
        .fields = words_of_fields<problem>,
        .make = [](std::string_view words, arch arch, unsigned seed) -> std::unique_ptr<trial> {
            return std::make_unique<conv2d_trial>(parse<problem>("conv2d", words), arch, seed);
        }};
    return one;
}

} // namespace spio::command
