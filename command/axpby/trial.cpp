// Tries axpby on random vectors, and compares the results with those computed in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data; a setup says what it consists of. A config is how blocks
// and threads share a problem. A spec is what a kernel is compiled from.
module;

#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

module spio.command;

import spio.axpby;
import spio.dims;
import spio.spec;

namespace spio::command {

namespace {

// The factors of all trials.
constexpr float a = 1.7f;
constexpr float b = -0.3f;

void set_up(trial_setup& setup, axpby::problem const& problem) {
    axpby::N const n(problem.n);
    auto const x = setup.input<axpby::readable_scalars>("x", {-2, 2}, n);
    auto const y = setup.input<axpby::scalars>("y", {-2, 2}, n);
    setup.launch(
        axpby::specialize(problem, setup.target(), setup.configs()),
        [=](device_arrays const& arrays) {
            return axpby::params{.a = a, .x = arrays[x], .b = b, .y = arrays[y]};
        },
        [=](comparison& results) {
            auto const x_numbers = results.input(x), y_numbers = results.input(y);
            for (auto const position : range(n)) {
                // The bound: b * y is rounded first, and then the sum is rounded.
                double const product = b * *y_numbers[position];
                double const exact = a * *x_numbers[position] + product;
                double const first = to_float.unit * std::abs(product) + to_float.least;
                double const bound =
                    first + to_float.unit * (std::abs(exact) + first) + to_float.least;
                results.compare(y, position, exact, bound);
            }
        });
}

// The configurations that `spio tune` measures, as text: the one that is chosen now, then others.
std::vector<std::string> configs_worth_a_trial(std::string_view words, arch) {
    auto const [problem] = parse_all<axpby::problem>("axpby", words);
    auto const chosen = text_of(axpby::best_config(problem));
    std::vector<std::string> texts = {chosen};
    for (int const threads : {128, 256, 512, 1024}) {
        for (int const vectors : {1, 2, 4}) {
            auto const text = text_of(axpby::config{.threads = threads, .vectors = vectors});
            if (text != chosen) texts.push_back(text);
        }
    }
    return texts;
}

} // namespace

trial_family axpby_trials() {
    auto trials = trials_of<"axpby", set_up>("y = a x + b y over vectors of floats", "n=1000000");
    trials.configs = configs_worth_a_trial;
    return trials;
}

} // namespace spio::command
