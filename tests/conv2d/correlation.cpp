// Random correlations on a device, against sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A trial runs a test case on a device: a GPU, or
// the host device, which simulates one on the CPU. With small effort it runs fewer sizes.
#include "correlation.h"

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

// The layer for images of random sizes.
problem drawn_problem(std::mt19937& random, problem const& compiled_layer, bool is_small) {
    auto const random_int = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    auto const layer = conv2d_layers::with_drawn_layer(compiled_layer, random_int);
    bool const is_wide = !is_small && random() % 16 == 0;
    int const least_h = std::max(1, layer.extent_h() - 2 * layer.pad_h);
    int const least_w = std::max(1, layer.extent_w() - 2 * layer.pad_w);
    return layer.with(random_int(1, is_wide ? 2 : 4), least_h + random_int(0, is_wide ? 9 : 3),
                      least_w + random_int(0, is_wide ? 80 : 9));
}

} // namespace

tensors::tensors(std::mt19937& random, problem const& problem)
    : input(elements(random,
                     1LL * problem.n * correlation_of(problem).h * correlation_of(problem).w *
                         problem.c,
                     problem.type)),
      filter(elements(random, 8LL * problem.c * problem.taps(), problem.type)),
      bias(static_cast<std::size_t>(problem.bias ? problem.c : 0)) {
    std::uniform_real_distribution<float> distribution(-2, 2);
    for (auto& value : bias) value = distribution(random);
}

// compute-sanitizer does not see what TMA stores, and would report reads of it as uninitialized. So
// the output is initialized here.
tensors_on_device::tensors_on_device(trial& t, problem const& problem, tensors const& inputs)
    : problem_(problem),
      input_(t.make("input", inputs.input)),
      filter_(t.make("filter", inputs.filter)),
      bias_(t.make("bias", inputs.bias)),
      output_(t.make("output",
                     std::vector<unsigned short>(
                         static_cast<std::size_t>(1LL * problem.n * correlation_of(problem).p *
                                                  correlation_of(problem).q) *
                             static_cast<std::size_t>(problem.c),
                         0xffff))) {}

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

void expect_sums(trial& t, std::string const& name, problem const& problem, tensors const& inputs,
                 std::vector<unsigned short> const& got) {
    auto const exact = reference(problem, inputs.input, inputs.filter, inputs.bias);
    for (std::size_t i = 0; i < got.size(); ++i) {
        t.expect_within(name, i, number_of(got[i], problem.type), exact.values[i],
                        bound(products_of(problem), exact.values[i], exact.magnitudes[i],
                              precision_of(problem.type)));
    }
    t.same_bits(name, got);
}

void run_random(trial& t, std::vector<variant> const& variants, int problems) {
    for (int n = 0; n < t.share(problems); ++n) {
        auto const& variant = variants[static_cast<std::size_t>(n) % variants.size()];
        auto const problem = drawn_problem(t.random(), variant.layer, t.is_small());
        tensors const inputs(t.random(), problem);
        expect_sums(t, variant.symbol, problem, inputs, variant.run(t, problem, inputs));
    }
}

void run_infinite(trial& t, std::vector<variant> const& variants) {
    for (auto const& variant : variants) {
        auto const problem = drawn_problem(t.random(), variant.layer, true);
        tensors inputs(t.random(), problem);
        for (unsigned short const bits : special_elements(problem.type)) {
            inputs.input[t.random()() % inputs.input.size()] = bits;
        }
        auto const exact = reference(problem, inputs.input, inputs.filter, inputs.bias);
        auto const got = variant.run(t, problem, inputs);
        for (std::size_t i = 0; i < got.size(); ++i) {
            double const number = number_of(got[i], problem.type), expected = exact.values[i];
            bool const is_same = is_same_kind(number, expected);
            t.expect(is_same, [&] {
                return variant.symbol + ("[" + std::to_string(i)) + "] is " +
                       std::to_string(number) + ", not " + std::to_string(expected);
            });
        }
    }
}

} // namespace spio::test::conv2d_correlation
