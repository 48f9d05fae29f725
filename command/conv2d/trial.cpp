// Tries grouped convolutions on random images, and compares results with sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data, a workbench a device with the kernels that were loaded
// there, a config how blocks and threads share a problem, a spec what a kernel is compiled from.
// fprop is the forward pass, dgrad the gradient of the input, wgrad that of the filter. A
// config_source finds measured configurations; without one the family chooses.
module;

#include <array>
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

// In choice.cpp: those that `spio tune` measures; the best ones with times; what chooses otherwise.
std::vector<std::string> conv2d_configs(std::string_view words, arch);
explained_choice explain_conv2d(std::string_view words, arch, config_source const&);
std::vector<std::string> conv2d_choosers(arch);

namespace {

using namespace conv2d;

// All whole numbers up to this one are exact in float, so sums of whole numbers that do not exceed
// it are exact too.
constexpr long long largest_exact_sum = 1LL << 24;

// Random whole numbers: -2 to 2, or -1 to 1 if there are many products. They are so small that
// float sums of `products` products of two of them are exact in any order.
std::vector<unsigned short> whole_numbers(std::mt19937& random, std::size_t size,
                                          long long products, element_type type) {
    using numbers = std::array<unsigned short, 5>; // the bits of -2, -1, 0, 1 and 2
    numbers const choices = type == element_type::bf16 ? numbers{0xc000, 0xbf80, 0, 0x3f80, 0x4000}
                                                       : numbers{0xc000, 0xbc00, 0, 0x3c00, 0x4000};
    // A product of two numbers up to 2 is at most 4.
    bool const is_narrow = products > largest_exact_sum / 4;
    std::vector<unsigned short> elements(size);
    for (auto& bits : elements) bits = choices[is_narrow ? 1 + random() % 3 : random() % 5];
    return elements;
}

// Random numbers from 1 to 2 and from -2 to -1.
std::vector<unsigned short> random_elements(std::mt19937& random, std::size_t size,
                                            element_type type) {
    if (type == element_type::fp16) return random_halves(random, size);
    std::vector<unsigned short> elements(size);
    constexpr unsigned bits_of_one = 0x3f80, sign_and_fraction = 0x807f;
    for (auto& bits : elements)
        bits = static_cast<unsigned short>(bits_of_one | (random() & sign_and_fraction));
    return elements;
}

// The sizes of a problem's tensors, and random values for those that its pass reads.
struct conv2d_data {
    conv2d::problem problem;
    conv2d::config config;
    std::mt19937 random;
    // x, or the gradient of y for dgrad.
    std::vector<unsigned short> input = {}, filter = {}, dy = {};
    std::vector<float> bias = {}, scale = {};
    // Of the sizes of y: added to it by fprop, or read by dgrad.
    std::vector<unsigned short> residual = {}, preactivation = {};

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
    std::size_t scale_size() const {
        return problem.scale ? static_cast<std::size_t>(problem.c) : 0;
    }
    // The tensors of the size of x and of y that the pass reads or writes.
    checked_size moved_count() const {
        int const others = (problem.residual ? 1 : 0) + (problem.preactivation ? 1 : 0) +
                           (problem.has_derivative() ? 1 : 0);
        return x_count() + y_count() * (1 + others);
    }
    bool is_dgrad() const { return problem.pass == direction::dgrad; }
    bool is_wgrad() const { return problem.pass == direction::wgrad; }

    void draw() {
        if (is_wgrad()) {
            input = whole_numbers(random, x_size(), products_of(problem), problem.type);
            dy = whole_numbers(random, y_size(), products_of(problem), problem.type);
        } else {
            input = random_elements(random, is_dgrad() ? y_size() : x_size(), problem.type);
            filter = random_elements(random, filter_size(), problem.type);
            bias = random_floats(random, bias_size(), -2, 2);
            scale = random_floats(random, scale_size(), -2, 2);
            residual = random_elements(random, problem.residual ? y_size() : 0, problem.type);
            preactivation =
                random_elements(random, problem.has_derivative() ? y_size() : 0, problem.type);
        }
    }
};

// What a launch of fprop or dgrad needs on the device.
template <class T> struct correlation_arrays {
    conv2d::convolution convolution;
    array<T> input, filter;
    array<float> bias, scale;
    array<T> residual, input_preactivation;
    array<T> output, preactivation;
};

// For fprop and dgrad: loads the kernel and uploads the tensors.
template <class T> prepared_trial prepare_correlation(workbench& bench, conv2d_data const& data) {
    auto const arrays = std::make_shared<correlation_arrays<T>>(
        conv2d::convolution(bench, data.problem, data.config), bench.upload<T>(data.input, "input"),
        bench.upload<T>(data.filter, "filter"), bench.upload<float>(data.bias, "bias"),
        bench.upload<float>(data.scale, "scale"), bench.upload<T>(data.residual, "residual"),
        bench.upload<T>(data.preactivation, "input_preactivation"),
        array<T>(bench.target_device(), data.is_dgrad() ? data.x_size() : data.y_size(), "output"),
        array<T>(bench.target_device(), data.problem.preactivation ? data.y_size() : 0,
                 "preactivation"));
    auto const launch = [&data, arrays](stream const& stream) {
        auto const& a = *arrays;
        auto const& p = data.problem;
        auto const sizes = correlation_of(p);
        // Arrays that the problem does not have are empty.
        auto const like_input = [&](array<T> const& elements) {
            int const images = elements.size() > 0 ? p.n : 0;
            return elements.template as<input_of<T const>>(N(images), H(sizes.h), W(sizes.w),
                                                           C(p.c));
        };
        auto const like_output = [&]<class U>(array<T> const& elements) {
            int const images = elements.size() > 0 ? p.n : 0;
            return elements.template as<output_of<U>>(N(images), P(sizes.p), Q(sizes.q), K(p.c));
        };
        auto const channels = [](array<float> const& floats) {
            return floats.template as<bias_of<float const>>(K(static_cast<int>(floats.size())));
        };
        a.convolution.launch(
            stream,
            correlation_args<T>{
                .input = like_input(a.input),
                .filter = a.filter.template as<filter_of<T const>>(K(p.c), R(p.r), S(p.s)),
                .bias = channels(a.bias),
                .output = like_output.template operator()<T>(a.output)},
            epilogue_args<T>{.scale = channels(a.scale),
                             .residual = like_output.template operator()<T const>(a.residual),
                             .preactivation = like_output.template operator()<T>(a.preactivation),
                             .input_preactivation = like_input(a.input_preactivation)});
    };
    auto const check = [&bench, &data, arrays, launch](stream const& stream) {
        bench.poison(arrays->output); // so that a missing write is found
        bench.poison(arrays->preactivation);
        launch(stream);
        stream.synchronize();
        auto const exact = reference(data.problem, {.input = data.input,
                                                    .filter = data.filter,
                                                    .bias = data.bias,
                                                    .scale = data.scale,
                                                    .residual = data.residual,
                                                    .preactivation = data.preactivation});
        verdict verdict;
        auto const compare = [&](char const* name, auto const& results, double_sums const& sums) {
            for (std::size_t i = 0; i < results.size(); ++i) {
                verdict.compare(name, i, number_of(results[i], data.problem.type), sums.values[i],
                                error_bound(data.problem, sums, i));
            }
        };
        compare(data.is_dgrad() ? "dx" : "y", bench.download(arrays->output), exact.output);
        compare("preactivation", bench.download(arrays->preactivation), exact.preactivation);
        return verdict;
    };
    return {launch, check};
}

// What a launch of wgrad needs on the device.
template <class Gradient, class T> struct wgrad_arrays {
    weight_gradient kernels;
    array<T> x, dy;
    array<Gradient> dw;
    array<float> dbias, workspace;
};

double value_of(float value, element_type) { return value; }
double value_of(unsigned short bits, element_type type) { return number_of(bits, type); }

// For wgrad: loads the kernels and uploads the tensors. `Gradient` is float or T. The sums are
// exact, so a float result must be exact, and any other must be within its rounding.
template <class Gradient, class T>
prepared_trial prepare_wgrad(workbench& bench, conv2d_data const& data) {
    weight_gradient kernels(bench, data.problem, data.config);
    array<float> workspace(bench.target_device(), kernels.workspace_floats(), "workspace");
    auto const arrays = std::make_shared<wgrad_arrays<Gradient, T>>(
        std::move(kernels), bench.upload<T>(data.input, "x"), bench.upload<T>(data.dy, "dy"),
        array<Gradient>(bench.target_device(), data.filter_size(), "dw"),
        array<float>(bench.target_device(), data.bias_size(), "dbias"), std::move(workspace));
    auto const launch = [&data, arrays](stream const& stream) {
        auto const& [kernels, x, dy, dw, dbias, workspace] = *arrays;
        auto const& p = data.problem;
        using args = wgrad_args<Gradient, T>;
        kernels.launch(
            stream,
            args{.x = x.template as<input_of<T const>>(N(p.n), H(p.h), W(p.w), C(p.c)),
                 .dy = dy.template as<output_of<T const>>(N(p.n), P(p.p()), Q(p.q()), K(p.c)),
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
                verdict.compare(name, i, value_of(results[i], data.problem.type), sums.values[i],
                                unit * std::abs(sums.values[i]));
            }
        };
        double const unit = data.problem.gradient == precision::fp32   ? 0
                            : data.problem.gradient == precision::fp16 ? to_half.unit
                                                                       : to_bfloat16.unit;
        compare("dw", bench.download(arrays->dw), exact.filter, unit);
        compare("dbias", bench.download(arrays->dbias), exact.bias, 0);
        return verdict;
    };
    return {launch, check};
}

template <class T> prepared_trial prepare_pass(workbench& bench, conv2d_data const& data) {
    if (!data.is_wgrad()) return prepare_correlation<T>(bench, data);
    bool const is_wide = data.problem.gradient == precision::fp32;
    return is_wide ? prepare_wgrad<float, T>(bench, data) : prepare_wgrad<T, T>(bench, data);
}

prepared_trial prepare(workbench& bench, conv2d_data& data) {
    if (data.input.empty()) data.draw();
    bool const is_fp16 = data.problem.type == element_type::fp16;
    return is_fp16 ? prepare_pass<half>(bench, data) : prepare_pass<bfloat16>(bench, data);
}

// `words` are the fields of the problem, such as "n=2 c=16 h=14 w=14 pass=fprop".
trial create(std::string_view words, arch arch, unsigned seed, config_source const& configs) {
    auto const problem = parse<conv2d::problem>("conv2d", words);
    auto const config = best_config(problem, arch, configs);
    auto const data = std::make_shared<conv2d_data>(problem, config, std::mt19937(seed));
    bool const is_wide = data->is_wgrad() && problem.gradient == precision::fp32;
    return {.problem = text_of(problem),
            .kernels = specs_of(problem, config, arch),
            .bytes_moved = data->moved_count() * 2 +
                           checked_size(data->filter_size()) * (is_wide ? 4 : 2) +
                           checked_size(data->bias_size() + data->scale_size()) * 4,
            .prepare = [data](workbench& bench) { return prepare(bench, *data); }};
}

} // namespace

trial_family conv2d_trials() {
    return {.name = "conv2d",
            .meaning = "a pass of a convolution with groups of 8 channels, of images in 16 bits",
            .example = "n=2 c=16 h=14 w=14 pass=fprop",
            .fields = describe_fields<conv2d::problem>,
            .create = create,
            .configs = conv2d_configs,
            .explain = explain_conv2d,
            .choosers = conv2d_choosers};
}

} // namespace spio::command
