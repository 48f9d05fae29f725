// Tries LayerNorm on random elements, and compares the results with those computed in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data; its verdict counts the results that are wrong. A workbench
// is a device with the kernels that were loaded there, a config how blocks and threads share a
// problem, and a spec what a kernel is compiled from. A config_source finds measured
// configurations; without one the family, the kernels of one operation, chooses. An image is a
// compiled kernel. poison() fills an array with bytes that no kernel writes, so that a missing
// write is found. A typed_spec is a spec with the type of its parameters.
module;

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

module spio.command;

import spio.launch;
import spio.layernorm_2d;
import spio.spec;

namespace spio::command {

// The number of positions, which is chosen for each launch. The same kernel handles any number.
struct layernorm_2d_launch {
    int positions = 1024;
};

} // namespace spio::command

namespace spio {

template <> struct field_table<command::layernorm_2d_launch> {
    static constexpr auto fields = std::tuple(field{
        "positions", &command::layernorm_2d_launch::positions, {.least = 0}, presence::optional});
};

} // namespace spio

namespace spio::command {

namespace {

using layernorm_2d::element_type;
using layernorm_2d::number_of;

constexpr float epsilon = 1e-5f;

// A trial's problem, the kernel to compile, and the tensors, which are drawn when first needed.
template <class T> struct layernorm_2d_data {
    layernorm_2d::problem problem;
    int positions;
    typed_spec<layernorm_2d::params_of<T>> spec;
    std::mt19937 random;
    std::vector<unsigned short> x = {};
    std::vector<float> weight = {}, bias = {};

    std::size_t channels() const { return static_cast<std::size_t>(problem.channels); }
    void draw() {
        x = random_halves(random, channels() * static_cast<std::size_t>(positions));
        if (problem.type == element_type::bf16) {
            // From 1 to 2, of either sign: the exponent of 1, and a random sign and fraction.
            for (auto& bits : x) bits = static_cast<unsigned short>(0x3f80 | (bits & 0x807f));
        }
        auto const factors = problem.affine ? channels() : 0;
        weight = random_floats(random, factors, -2, 2);
        bias = random_floats(random, factors, -2, 2);
    }
};

// Bounds on the errors of the results at one position. A result is (x - mean) * scale * weight +
// bias over the channels of the position, computed in float with unit roundoff u. The relative
// error of k roundings is at most gamma(k, u) = k u / (1 - k u).
class position_bound {
  public:
    position_bound(std::span<unsigned short const> x, element_type type)
        : result(type == element_type::fp16 ? to_half : to_bfloat16) {
        auto const n = static_cast<double>(x.size());
        // g bounds the relative error of a sum of n values, added in any order, and of its division
        // by n.
        double const g = gamma(n + 1, u);
        for (auto const bits : x) {
            mean += number_of(bits, type) / n;
            mean_error += g * std::abs(number_of(bits, type)) / n;
        }
        double variance = 0, variance_error = 0;
        for (auto const bits : x) {
            double const d = std::abs(number_of(bits, type) - mean);
            double const error = error_of_deviation(d);
            variance += d * d / n;
            variance_error += (2 * d * error + error * error + g * (d + error) * (d + error)) / n;
        }
        double const sum = variance + epsilon;
        double const relative = variance_error / sum + u;
        scale = 1 / std::sqrt(sum);
        // The square root halves the relative error of variance + epsilon. The 3 u stand for the
        // roundings of the root, the quotient and the product.
        scale_error = relative / 2 * (1 + 2 * relative) + 3 * u;
    }

    // The bound on the error of the result for one channel, where the position has the value x.
    double result_error(double x, double weight, double bias) const {
        double const d = x - mean;
        double const z = d * scale;
        double const exact = z * weight + bias;
        double const z_error = (scale_error + u) * std::abs(z) +
                               (1 + scale_error) * scale * error_of_deviation(std::abs(d));
        double const error = std::abs(weight) * z_error * (1 + u) + u * std::abs(exact);
        return error + result.unit * (std::abs(exact) + error) + result.least;
    }

  private:
    static constexpr double u = to_float.unit;
    rounding result;
    double mean = 0, mean_error = 0, scale = 0;
    double scale_error = 0; // relative error of scale

    // Of x - mean, where d = |x - mean|.
    double error_of_deviation(double d) const { return mean_error * (1 + u) + u * d; }
};

// What a launch needs on the device.
template <class T> struct layernorm_2d_arrays {
    spio::kernel<layernorm_2d::params_of<T>> kernel;
    array<T> x, y;
    array<float> weight, bias;
};

// Loads the kernel and uploads the tensors.
template <class T> prepared_trial prepare(workbench& bench, layernorm_2d_data<T> const& data) {
    auto const arrays = std::make_shared<layernorm_2d_arrays<T>>(
        bench.load(data.spec), bench.upload<T>(data.x, "x"), bench.upload<T>(data.x, "y"),
        bench.upload<float>(data.weight, "weight"), bench.upload<float>(data.bias, "bias"));
    auto const launch = [&data, arrays](stream const& stream) {
        using namespace layernorm_2d;
        auto const& [kernel, x, y, weight, bias] = *arrays;
        X const positions(data.positions);
        C const channels(data.problem.channels);
        C const factors(static_cast<int>(weight.size()));
        stream.launch(kernel, {.x = x.template as<layernorm_2d::images_of<T>>(positions, channels),
                               .y = y.template as<layernorm_2d::images_of<T>>(positions, channels),
                               .weight = weight.template as<factors_to_read>(factors),
                               .bias = bias.template as<factors_to_read>(factors),
                               .epsilon = epsilon});
    };
    auto const check = [&bench, &data, arrays, launch](stream const& stream) {
        bench.poison(arrays->y);
        launch(stream);
        stream.synchronize();
        auto const results = bench.download(arrays->y);
        auto const exact =
            layernorm_2d::reference(data.problem, data.x, data.weight, data.bias, epsilon);
        verdict verdict;
        for (std::size_t first = 0; first < results.size(); first += data.channels()) {
            auto const row = std::span(data.x).subspan(first, data.channels());
            position_bound const bound(row, data.problem.type);
            for (std::size_t c = 0; c < row.size(); ++c) {
                float const w = data.problem.affine ? data.weight[c] : 1;
                float const b = data.problem.affine ? data.bias[c] : 0;
                auto const x = number_of(row[c], data.problem.type);
                auto const y = number_of(results[first + c], data.problem.type);
                verdict.compare("y", first + c, y, exact[first + c], bound.result_error(x, w, b));
            }
        }
        return verdict;
    };
    return {launch, check};
}

// The trial of a problem whose elements are of type T.
template <class T>
trial trial_of(layernorm_2d::problem const& problem, layernorm_2d_launch const& launch, arch arch,
               unsigned seed, config_source const& configs) {
    auto const spec = layernorm_2d::specialize<T>(problem, arch, configs);
    auto const data =
        std::make_shared<layernorm_2d_data<T>>(problem, launch.positions, spec, std::mt19937(seed));
    auto const elements = data->channels() * static_cast<std::uint64_t>(launch.positions);
    auto const factors = problem.affine ? 2 * data->channels() : 0;
    return {.problem = text_of(problem) + " " + text_of(launch),
            .kernels = {spec},
            .bytes_moved = 2 * sizeof(unsigned short) * elements + sizeof(float) * factors,
            .prepare = [data](workbench& bench) {
                if (data->x.empty()) data->draw();
                return prepare(bench, *data);
            }};
}

// `words` are the fields of the problem and of the launch, such as "channels=64 positions=4096".
trial create(std::string_view words, arch arch, unsigned seed, config_source const& configs) {
    auto const [problem, launch] =
        parse_all<layernorm_2d::problem, layernorm_2d_launch>("layernorm_2d", words);
    auto const function = problem.type == element_type::bf16 ? trial_of<bfloat16> : trial_of<half>;
    return function(problem, launch, arch, seed, configs);
}

} // namespace

trial_family layernorm_2d_trials() {
    return {.name = "layernorm_2d",
            .meaning = "LayerNorm over the channels of images, of halves or bfloat16s",
            .example = "channels=64 positions=4096",
            .fields = describe_fields<layernorm_2d::problem, layernorm_2d_launch>,
            .create = create};
}

} // namespace spio::command
