// Tries grouped convolutions on random images, and compares results with sums in double.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
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

// All whole numbers up to this one are exact in float, so sums of whole numbers that do not exceed
// it are exact too.
constexpr long long largest_exact_sum = 1LL << 24;

// Random whole numbers as halves: -2 to 2, or -1 to 1 if there are many products. They are so small
// that float sums of `products` products of two of them are exact in any order.
std::vector<unsigned short> whole_halves(std::mt19937& random, std::size_t size,
                                         long long products) {
    constexpr unsigned short numbers[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
    // A product of two numbers up to 2 is at most 4.
    bool const is_narrow = products > largest_exact_sum / 4;
    std::vector<unsigned short> halves(size);
    for (auto& half : halves) half = numbers[is_narrow ? 1 + random() % 3 : random() % 5];
    return halves;
}

// The sizes of a problem's tensors, and random values for those that its pass reads.
struct conv2d_data {
    conv2d::problem problem;
    conv2d::config config;
    std::mt19937 random;
    // x, or the gradient of y for dgrad.
    std::vector<unsigned short> input = {}, filter = {}, dy = {};
    std::vector<float> bias = {};

    checked_size x_count() const {
        return checked_size(problem.n) * problem.h * problem.w * problem.c;
    }
    checked_size y_count() const {
        return checked_size(problem.n) * problem.p() * problem.q() * problem.c;
    }
    std::size_t x_size() const { return static_cast<std::size_t>(x_count().value); }
    std::size_t y_size() const { return static_cast<std::size_t>(y_count().value); }
    std::size_t filter_size() const {
        return static_cast<std::size_t>(problem.c) * static_cast<std::size_t>(problem.taps()) *
               group_width;
    }
    std::size_t bias_size() const { return problem.bias ? static_cast<std::size_t>(problem.c) : 0; }
    bool is_dgrad() const { return problem.pass == direction::dgrad; }
    bool is_wgrad() const { return problem.pass == direction::wgrad; }

    void draw() {
        if (is_wgrad()) {
            input = whole_halves(random, x_size(), products_of(problem));
            dy = whole_halves(random, y_size(), products_of(problem));
        } else {
            input = random_halves(random, is_dgrad() ? y_size() : x_size());
            filter = random_halves(random, filter_size());
            bias = random_floats(random, bias_size(), -2, 2);
        }
    }
};

// What a launch of fprop or dgrad needs on the device.
struct correlation_arrays {
    conv2d::convolution convolution;
    array<half> input, filter;
    array<float> bias;
    array<half> output;
};

// For fprop and dgrad: loads the kernel and uploads the tensors.
prepared_trial prepare_correlation(workbench& bench, conv2d_data const& data) {
    auto const arrays = std::make_shared<correlation_arrays>(
        conv2d::convolution(bench, data.problem, data.config),
        bench.upload<half>(data.input, "input"), bench.upload<half>(data.filter, "filter"),
        bench.upload<float>(data.bias, "bias"),
        array<half>(bench.on(), data.is_dgrad() ? data.x_size() : data.y_size(), "output"));
    auto const launch = [&data, arrays](stream const& stream) {
        auto const& [convolution, input, filter, bias, output] = *arrays;
        auto const& p = data.problem;
        auto const sizes = correlation_of(p);
        convolution.launch(
            stream, {.input = input.as<input_tensor>(N(p.n), H(sizes.h), W(sizes.w), C(p.c)),
                     .filter = filter.as<filter_of<half const>>(K(p.c), R(p.r), S(p.s)),
                     .bias = bias.as<bias_of<float const>>(K(static_cast<int>(data.bias_size()))),
                     .output = output.as<output_tensor>(N(p.n), P(sizes.p), Q(sizes.q), K(p.c))});
    };
    auto const check = [&bench, &data, arrays, launch](stream const& stream) {
        bench.poison(arrays->output);
        launch(stream);
        stream.synchronize();
        auto const exact = reference(data.problem, data.input, data.filter, data.bias);
        auto const results = bench.download(arrays->output);
        auto const products = products_of(data.problem);
        verdict verdict;
        for (std::size_t i = 0; i < results.size(); ++i) {
            verdict.compare(
                data.is_dgrad() ? "dx" : "y", i, number_of(results[i]), exact.values[i],
                conv2d::bound(products, exact.values[i], exact.magnitudes[i], precision::fp16));
        }
        return verdict;
    };
    return {launch, check};
}

// What a launch of wgrad needs on the device.
template <class Gradient> struct wgrad_arrays {
    weight_gradient kernels;
    array<half> x, dy;
    array<Gradient> dw;
    array<float> dbias, workspace;
};

double value_of(float value) { return value; }
double value_of(unsigned short half_bits) { return number_of(half_bits); }

// For wgrad: loads the kernels and uploads the tensors. `Gradient` is float or half. The sums are
// exact, so a float result must be exact, and a half must be within its rounding.
template <class Gradient> prepared_trial prepare_wgrad(workbench& bench, conv2d_data const& data) {
    weight_gradient kernels(bench, data.problem, data.config);
    array<float> workspace(bench.on(), kernels.workspace_floats(), "workspace");
    auto const arrays = std::make_shared<wgrad_arrays<Gradient>>(
        std::move(kernels), bench.upload<half>(data.input, "x"), bench.upload<half>(data.dy, "dy"),
        array<Gradient>(bench.on(), data.filter_size(), "dw"),
        array<float>(bench.on(), data.bias_size(), "dbias"), std::move(workspace));
    auto const launch = [&data, arrays](stream const& stream) {
        auto const& [kernels, x, dy, dw, dbias, workspace] = *arrays;
        auto const& p = data.problem;
        using args = wgrad_args<Gradient>;
        kernels.launch(
            stream,
            args{.x = x.template as<input_tensor>(N(p.n), H(p.h), W(p.w), C(p.c)),
                 .dy = dy.template as<decltype(args::dy)>(N(p.n), P(p.p()), Q(p.q()), K(p.c)),
                 .dw = dw.template as<filter_of<Gradient>>(K(p.c), R(p.r), S(p.s)),
                 .dbias = dbias.template as<bias_of<float>>(K(static_cast<int>(data.bias_size()))),
                 .workspace =
                     workspace.template as<floats>(FLOAT(static_cast<int>(workspace.size())))});
    };
    auto const check = [&bench, &data, arrays, launch](stream const& stream) {
        auto const products = products_of(data.problem);
        if (products > largest_exact_sum) {
            throw failure(exit_status::usage,
                          "sums of " + std::to_string(products) +
                              " products are not exact in float, so that --check knows no bound; "
                              "it does up to " +
                              std::to_string(largest_exact_sum));
        }
        bench.poison(arrays->dw);
        bench.poison(arrays->dbias);
        bench.poison(arrays->workspace);
        launch(stream);
        stream.synchronize();
        auto const exact = reference_gradients(data.problem, data.input, data.dy);
        verdict verdict;
        auto const compare = [&](char const* name, auto const& results, double_sums const& sums,
                                 double unit) {
            for (std::size_t i = 0; i < results.size(); ++i) {
                verdict.compare(name, i, value_of(results[i]), sums.values[i],
                                unit * std::abs(sums.values[i]));
            }
        };
        bool const is_half = data.problem.gradient == precision::fp16;
        compare("dw", bench.download(arrays->dw), exact.filter, is_half ? to_half.unit : 0);
        compare("dbias", bench.download(arrays->dbias), exact.bias, 0);
        return verdict;
    };
    return {launch, check};
}

prepared_trial prepare(workbench& bench, conv2d_data& data) {
    if (data.input.empty()) data.draw();
    if (!data.is_wgrad()) return prepare_correlation(bench, data);
    bool const is_half = data.problem.gradient == precision::fp16;
    return is_half ? prepare_wgrad<half>(bench, data) : prepare_wgrad<float>(bench, data);
}

// `words` are the fields of the problem, such as "n=2 c=16 h=14 w=14 pass=fprop".
trial create(std::string_view words, arch arch, unsigned seed) {
    auto const problem = parse<conv2d::problem>("conv2d", words);
    auto const config = best_config(problem, arch);
    auto const data = std::make_shared<conv2d_data>(problem, config, std::mt19937(seed));
    bool const is_wide = data->is_wgrad() && problem.gradient == precision::fp32;
    return {.problem = text_of(problem),
            .kernels = specs_of(problem, config, arch),
            .bytes_moved = (data->x_count() + data->y_count()) * 2 +
                           checked_size(data->filter_size()) * (is_wide ? 4 : 2) +
                           checked_size(data->bias_size()) * 4,
            .prepare = [data](workbench& bench) { return prepare(bench, *data); }};
}

} // namespace

trial_family conv2d_trials() {
    return {.name = "conv2d",
            .meaning = "a pass of a convolution with groups of 8 channels, of images in halves",
            .example = "n=2 c=16 h=14 w=14 pass=fprop",
            .fields = describe_fields<conv2d::problem>,
            .create = create};
}

} // namespace spio::command
