// Random correlations on a device, against sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A trial runs a test case on a device: a GPU, or
// the host device, which simulates one on the CPU. With small effort (is_small()) it runs fewer
// sizes, and share() is the part of some problems that an effort runs. fprop and dgrad are both
// correlations of groups of 8 channels. A residual is a tensor that is added to the output, a
// preactivation the value before the activation, of which dgrad takes the derivative.
#include "correlation.h"

#include "last_step.h"
#include "layers.h"
#include "numbers.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

import spio.conv2d;

namespace spio::test::conv2d_correlation {

using namespace spio::conv2d;

namespace {

// The layer for images of random sizes, which are at least as large as the filter, or of its own
// size. One in 16 is wide, so that it takes several tiles of columns.
problem drawn_problem(std::mt19937& random, problem const& compiled_layer, bool is_small) {
    auto const random_int = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    auto const layer = conv2d_layers::with_drawn_layer(compiled_layer, random_int);
    bool const is_wide = !is_small && random() % 16 == 0;
    int const least_h = std::max(1, layer.extent_h() - 2 * layer.pad_h);
    int const least_w = std::max(1, layer.extent_w() - 2 * layer.pad_w);
    int const n = random_int(1, is_wide ? 2 : 4);
    if (layer.has_static_image()) return layer.with(n, layer.h, layer.w);
    return layer.with(n, least_h + random_int(0, is_wide ? 9 : 3),
                      least_w + random_int(0, is_wide ? 80 : 9));
}

} // namespace

namespace {

// A random float for each channel, or none where the problem has no such tensor.
std::vector<float> floats_of(std::mt19937& random, problem const& problem, bool exist) {
    std::vector<float> values(static_cast<std::size_t>(exist ? problem.c : 0));
    std::uniform_real_distribution<float> distribution(-2, 2);
    for (auto& value : values) value = distribution(random);
    return values;
}
// The elements of the input, which is the gradient of y in dgrad.
long long input_size(problem const& problem) {
    auto const sizes = correlation_of(problem);
    return 1LL * problem.n * sizes.h * sizes.w * problem.c;
}
long long output_size(problem const& problem) {
    auto const sizes = correlation_of(problem);
    return 1LL * problem.n * sizes.p * sizes.q * problem.c;
}

// compute-sanitizer does not see what TMA stores, and would report reads of it as uninitialized. So
// the outputs are initialized here.
std::vector<unsigned short> poison(long long size) {
    return std::vector<unsigned short>(static_cast<std::size_t>(size), 0xffff);
}

} // namespace

tensors::tensors(std::mt19937& random, problem const& problem)
    : input(elements(random, input_size(problem), problem.type)),
      filter(elements(random, 8LL * problem.c * problem.taps(), problem.type)),
      bias(floats_of(random, problem, problem.bias)),
      scale(floats_of(random, problem, problem.scale)),
      residual(elements(random, problem.residual ? output_size(problem) : 0, problem.type)),
      preactivation(
          elements(random, problem.has_derivative() ? input_size(problem) : 0, problem.type)) {}

tensors_on_device::tensors_on_device(trial& trial, problem const& problem, tensors const& inputs)
    : problem_(problem),
      input_(trial.make("input", inputs.input)),
      filter_(trial.make("filter", inputs.filter)),
      bias_(trial.make("bias", inputs.bias)),
      scale_(trial.make("scale", inputs.scale)),
      residual_(trial.make("residual", inputs.residual)),
      input_preactivation_(trial.make("input_preactivation", inputs.preactivation)),
      output_(trial.make("output", poison(output_size(problem)))),
      preactivation_(
          trial.make("preactivation", poison(problem.preactivation ? output_size(problem) : 0))) {}

correlation_args<element_bits> tensors_on_device::arguments() const {
    auto const correlation = correlation_of(problem_);
    return {.input = input_of<element_bits const>(input_.data(), N(problem_.n), H(correlation.h),
                                                  W(correlation.w), C(problem_.c)),
            .filter = filter_of<element_bits const>(filter_.data(), K(problem_.c), R(problem_.r),
                                                    S(problem_.s)),
            .bias = bias_of<float const>(bias_.data(), K(problem_.bias ? problem_.c : 0)),
            .output = output_of<element_bits>(output_.data(), N(problem_.n), P(correlation.p),
                                              Q(correlation.q), K(problem_.c))};
}
void* tensors_on_device::preactivation() const {
    return problem_.has_derivative() ? input_preactivation_.data() : preactivation_.data();
}
epilogue_pointers tensors_on_device::epilogue() const {
    return {scale_.data(), residual_.data(), preactivation()};
}

namespace {

// The sums in double, plus the number that a variant's kernel adds to each output.
double_outputs expected_outputs(variant const& variant, problem const& problem,
                                tensors const& inputs) {
    auto exact = reference(problem, {.input = inputs.input,
                                     .filter = inputs.filter,
                                     .bias = inputs.bias,
                                     .scale = inputs.scale,
                                     .residual = inputs.residual,
                                     .preactivation = inputs.preactivation});
    if (!variant.adds_number) return exact;
    auto const sizes = correlation_of(problem);
    std::size_t i = 0;
    for (int n = 0; n < problem.n; ++n) {
        for (int p = 0; p < sizes.p; ++p) {
            for (int q = 0; q < sizes.q; ++q) {
                for (int k = 0; k < problem.c; ++k, ++i) {
                    double const number = number_at(n, p, q, k);
                    exact.output.values[i] += number;
                    exact.output.magnitudes[i] += number;
                }
            }
        }
    }
    return exact;
}

} // namespace

void expect_sums(trial& trial, variant const& variant, problem const& problem,
                 tensors const& inputs, outputs const& got) {
    std::string const name = variant.symbol;
    auto const exact = expected_outputs(variant, problem, inputs);
    auto const compare = [&](std::string const& tensor, std::vector<unsigned short> const& bits,
                             double_sums const& sums) {
        trial.expect(bits.size() == sums.values.size(),
                     [&] { return tensor + " has another size"; });
        for (std::size_t i = 0; i < bits.size(); ++i) {
            trial.expect_within(tensor, i, number_of(bits[i], problem.type), sums.values[i],
                                error_bound(problem, sums, i));
        }
        // The host device rounds SiLU and GELU differently from a GPU; all other outputs must have
        // the same bits on every device.
        bool const is_smooth =
            problem.activation == activation::silu || problem.activation == activation::gelu;
        if (!is_smooth) trial.same_bits(tensor, bits);
    };
    compare(name, got.output, exact.output);
    if (problem.preactivation) {
        compare(name + "_preactivation", got.preactivation, exact.preactivation);
    }
}

void run_random(trial& trial, std::vector<variant> const& variants, int problems) {
    for (int n = 0; n < trial.share(problems); ++n) {
        auto const& variant = variants[static_cast<std::size_t>(n) % variants.size()];
        auto const problem = drawn_problem(trial.random(), variant.layer, trial.is_small());
        tensors const inputs(trial.random(), problem);
        expect_sums(trial, variant, problem, inputs, variant.run(trial, problem, inputs));
    }
}

void run_infinite(trial& trial, std::vector<variant> const& variants) {
    for (auto const& variant : variants) {
        auto const problem = drawn_problem(trial.random(), variant.layer, /*is_small=*/true);
        tensors inputs(trial.random(), problem);
        for (unsigned short const bits : special_elements(problem.type)) {
            inputs.input[trial.random()() % inputs.input.size()] = bits;
        }
        auto const exact = expected_outputs(variant, problem, inputs).output;
        auto const got = variant.run(trial, problem, inputs).output;
        for (std::size_t i = 0; i < got.size(); ++i) {
            double const number = number_of(got[i], problem.type), expected = exact.values[i];
            bool const is_same = is_same_kind(number, expected);
            trial.expect(is_same, [&] {
                return variant.symbol + ("[" + std::to_string(i)) + "] is " +
                       std::to_string(number) + ", not " + std::to_string(expected);
            });
        }
    }
}

} // namespace spio::test::conv2d_correlation
