// Tries LayerNorm.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

module spio.command;

import spio.launch;
import spio.layernorm_2d;
import spio.spec;

namespace spio::command {

// What a launch has, whatever its kernel was made for.
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

using layernorm_2d::number_of;
using layernorm_2d::params;

constexpr float epsilon = 1e-5f;

struct data {
    layernorm_2d::problem problem;
    int positions;
    typed_spec<params> spec;
    std::vector<unsigned short> x;
    std::vector<float> weight, bias;
};

// How far from the exact ones the results of a position may be.
class position_bound {
  public:
    explicit position_bound(std::span<unsigned short const> x) {
        auto const n = static_cast<double>(x.size());
        // The sum, in any order, and the division.
        double const g = gamma(n + 1, u);
        for (auto const bits : x) {
            mean += number_of(bits) / n;
            mean_error += g * std::abs(number_of(bits)) / n;
        }
        double variance = 0, variance_error = 0;
        for (auto const bits : x) {
            double const d = std::abs(number_of(bits) - mean);
            double const error = error_of_deviation(d);
            variance += d * d / n;
            variance_error += (2 * d * error + error * error + g * (d + error) * (d + error)) / n;
        }
        double const sum = variance + epsilon;
        double const relative = variance_error / sum + u;
        scale = 1 / std::sqrt(sum);
        // The root halves what is relative; then it is rounded, as are quotient and product.
        scale_error = relative / 2 * (1 + 2 * relative) + 3 * u;
    }

    double of(double x, double weight, double bias) const {
        double const d = x - mean;
        double const z = d * scale;
        double const exact = z * weight + bias;
        double const z_error = (scale_error + u) * std::abs(z) +
                               (1 + scale_error) * scale * error_of_deviation(std::abs(d));
        double const error = std::abs(weight) * z_error * (1 + u) + u * std::abs(exact);
        return error + to_half.unit * (std::abs(exact) + error) + to_half.least;
    }

  private:
    static constexpr double u = to_float.unit;
    double mean = 0, mean_error = 0, scale = 0;
    double scale_error = 0; // relative

    double error_of_deviation(double d) const { return mean_error * (1 + u) + u * d; }
};

class layernorm_2d_rehearsal : public rehearsal {
  public:
    layernorm_2d_rehearsal(stage& at, data const& of)
        : place(at),
          from(of),
          kernel(at.load(of.spec)),
          x(at.put<half>(of.x, "x")),
          y(at.put<half>(of.x, "y")),
          weight(at.put<float>(of.weight, "weight")),
          bias(at.put<float>(of.bias, "bias")) {}

    void launch(stream const& in) const override {
        layernorm_2d::X const positions(from.positions);
        layernorm_2d::C const channels(from.problem.channels);
        layernorm_2d::C const factors(static_cast<int>(weight.size()));
        in.launch(kernel, {.x = x.as<layernorm_2d::images>(positions, channels),
                           .y = y.as<layernorm_2d::images>(positions, channels),
                           .weight = weight.as<layernorm_2d::factors_to_read>(factors),
                           .bias = bias.as<layernorm_2d::factors_to_read>(factors),
                           .epsilon = epsilon});
    }

    verdict check(stream const& in) const override {
        place.poison(y);
        launch(in);
        in.synchronize();
        auto const got = place.get(y);
        auto const exact =
            layernorm_2d::reference(from.problem, from.x, from.weight, from.bias, epsilon);
        auto const channels = static_cast<std::size_t>(from.problem.channels);
        verdict all;
        for (std::size_t first = 0; first < got.size(); first += channels) {
            auto const row = std::span(from.x).subspan(first, channels);
            position_bound const bound(row);
            for (std::size_t c = 0; c < channels; ++c) {
                bool const affine = from.problem.affine;
                all.compare("y", first + c, number_of(got[first + c]), exact[first + c],
                            bound.of(number_of(row[c]), affine ? from.weight[c] : 1,
                                     affine ? from.bias[c] : 0));
            }
        }
        return all;
    }

  private:
    stage const& place;
    data const& from;
    kernel<params> kernel;
    array<half> x, y;
    array<float> weight, bias;
};

class layernorm_2d_trial : public trial {
  public:
    layernorm_2d_trial(layernorm_2d::problem const& of, int positions, arch arch, unsigned seed)
        : made{of, positions, layernorm_2d::specialize(of, arch), {}, {}, {}}, random(seed) {}
    std::string problem() const override {
        return text_of(made.problem) + " " + text_of(layernorm_2d_launch{made.positions});
    }
    std::vector<spec> kernels() const override { return {made.spec}; }
    std::uint64_t bytes_moved() const override {
        auto const channels = static_cast<std::uint64_t>(made.problem.channels);
        auto const factors = made.problem.affine ? 2 * sizeof(float) * channels : 0;
        return 2 * sizeof(unsigned short) * channels * static_cast<std::uint64_t>(made.positions) +
               factors;
    }
    std::unique_ptr<rehearsal> on(stage& at) override {
        if (made.x.empty()) {
            auto const channels = static_cast<std::size_t>(made.problem.channels);
            made.x = random_halves(random, channels * static_cast<std::size_t>(made.positions));
            auto const factors = made.problem.affine ? channels : 0;
            made.weight = random_floats(random, factors, -2, 2);
            made.bias = random_floats(random, factors, -2, 2);
        }
        return std::make_unique<layernorm_2d_rehearsal>(at, made);
    }

  private:
    data made;
    std::mt19937 random;
};

} // namespace

trial_family const& layernorm_2d_trials() {
    static trial_family const one = {
        .name = "layernorm_2d",
        .meaning = "LayerNorm over the channels of images, from halves to halves",
        .example = "channels=64 positions=4096",
        .fields = words_of_fields<layernorm_2d::problem, layernorm_2d_launch>,
        .make = [](std::string_view words, arch arch, unsigned seed) -> std::unique_ptr<trial> {
            auto const [problem, launch] =
                values_of_words<layernorm_2d::problem, layernorm_2d_launch>("layernorm_2d", words);
            return std::make_unique<layernorm_2d_trial>(problem, launch.positions, arch, seed);
        }};
    return one;
}

} // namespace spio::command
