// How the command tries scale, bias and ReLU: on random images, compared with results in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data. gamma(k, u) bounds the relative error of k roundings, each
// of at most u.
#include <algorithm>

import scaled_relu;
import spio.command;

using namespace spio::command;

// One kernel takes images of any size: a launch chooses it.
static void set_up(trial_setup& setup, scaled_relu::problem const& problem,
                   scaled_relu::Pixel pixels, scaled_relu::Channel channels) {
    auto const x = setup.input<scaled_relu::input>("x", {-2, 2}, pixels, channels);
    auto const scale = setup.input<scaled_relu::factors>("scale", {-1, 1}, channels);
    auto const bias = setup.input<scaled_relu::factors>("bias", {-1, 1}, channels);
    auto const y = setup.output<scaled_relu::output>("y", pixels, channels);
    setup.launch(
        scaled_relu::specialize(problem, setup.target()),
        [=](device_arrays const& arrays) {
            return scaled_relu::params{
                .x = arrays[x], .y = arrays[y], .scale = arrays[scale], .bias = arrays[bias]};
        },
        [=](comparison& results) {
            auto const numbers = results.input(x);
            for (auto const channel : spio::range(channels)) {
                double const factor = *results.input(scale)[channel];
                double const summand = *results.input(bias)[channel];
                for (auto const pixel : spio::range(pixels)) {
                    double const exact = std::max(factor * *numbers[pixel][channel] + summand, 0.);
                    // The sum is rounded once, to float, and then to half.
                    double const bound = gamma(/*k=*/1, to_float.unit + to_half.unit) * exact;
                    results.compare(y, pixel + channel, exact, bound + to_half.least);
                }
            }
        });
}

trial_family scaled_relu_trials() {
    return trials_of<"scaled_relu", set_up, "pixels", "channels">(
        "y = relu(scale * x + bias) for images of halves, by channels", "pixels=100 channels=300");
}
