// Random walks on a device, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_correlation.h"

#include "conv2d_numbers.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

import spio.conv2d;

namespace spio::test::conv2d_correlation {

using namespace spio::conv2d;

namespace {

problem drawn_problem(std::mt19937& random, problem const& layer, bool is_small) {
    auto const between = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    bool const is_wide = !is_small && random() % 16 == 0;
    int const least_h = std::max(1, layer.r - 2 * layer.pad_h);
    int const least_w = std::max(1, layer.s - 2 * layer.pad_w);
    return layer.with(between(1, is_wide ? 2 : 4), least_h + between(0, is_wide ? 9 : 3),
                      least_w + between(0, is_wide ? 80 : 9));
}

} // namespace

tensors::tensors(std::mt19937& random, problem const& of)
    : from(halves(random, 1LL * of.n * correlation_of(of).h * correlation_of(of).w * of.c)),
      filter(halves(random, 8LL * of.c * of.taps())),
      bias(static_cast<std::size_t>(of.bias ? of.c : 0)) {
    std::uniform_real_distribution<float> between(-2, 2);
    for (auto& each : bias) each = between(random);
}

// What the copy engine stores, tools do not see: let all be known before.
tensors_on_device::tensors_on_device(trial& t, problem const& of, tensors const& in)
    : of_(of),
      from_(t.make("from", in.from)),
      filter_(t.make("filter", in.filter)),
      bias_(t.make("bias", in.bias)),
      to_(t.make("to", std::vector<unsigned short>(
                           static_cast<std::size_t>(1LL * of.n * correlation_of(of).p *
                                                    correlation_of(of).q) *
                               static_cast<std::size_t>(of.c),
                           0xffff))) {}

correlation_args tensors_on_device::arguments() const {
    auto const correlation = correlation_of(of_);
    return {.input = input_tensor(reinterpret_cast<half const*>(from_.data()), N(of_.n),
                                  H(correlation.h), W(correlation.w), C(of_.c)),
            .filter = filter_of<half const>(reinterpret_cast<half const*>(filter_.data()), K(of_.c),
                                            R(of_.r), S(of_.s)),
            .bias = bias_of<float const>(bias_.data(), K(of_.bias ? of_.c : 0)),
            .output = output_tensor(reinterpret_cast<half*>(to_.data()), N(of_.n), P(correlation.p),
                                    Q(correlation.q), K(of_.c))};
}

void expect_sums(trial& t, std::string const& name, problem const& of, tensors const& in,
                 std::vector<unsigned short> const& got) {
    auto const exact = reference(of, in.from, in.filter, in.bias);
    for (std::size_t i = 0; i < got.size(); ++i) {
        t.expect_within(
            name, i, number_of(got[i]), exact.values[i],
            bound(products_of(of), exact.values[i], exact.magnitudes[i], precision::fp16));
    }
    t.same_bits(name, got);
}

void run_random(trial& t, std::vector<walker> const& walkers, int problems) {
    for (int n = 0; n < problems; ++n) {
        auto const& by = walkers[static_cast<std::size_t>(n) % walkers.size()];
        auto const of = drawn_problem(t.random(), by.layer, t.is_small());
        tensors const in(t.random(), of);
        expect_sums(t, by.symbol, of, in, by.make(t, of, in));
    }
}

void run_infinite(trial& t, std::vector<walker> const& walkers) {
    for (auto const& by : walkers) {
        auto const of = drawn_problem(t.random(), by.layer, true);
        tensors in(t.random(), of);
        for (unsigned short const bits : {0x7e00, 0x7c00, 0xfc00}) {
            in.from[t.random()() % in.from.size()] = bits;
        }
        auto const exact = reference(of, in.from, in.filter, in.bias);
        auto const got = by.make(t, of, in);
        for (std::size_t i = 0; i < got.size(); ++i) {
            double const number = number_of(got[i]), expected = exact.values[i];
            bool const is_same = is_same_kind(number, expected);
            t.expect(is_same, [&] {
                return by.symbol + ("[" + std::to_string(i)) + "] is " + std::to_string(number) +
                       ", not " + std::to_string(expected);
            });
        }
    }
}

} // namespace spio::test::conv2d_correlation
