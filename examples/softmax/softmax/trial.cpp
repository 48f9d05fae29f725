// How the command tries a softmax: on random rows, whose results it compares with those in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data. gamma(k, u) bounds the relative error of k roundings, each
// of at most u.
#include <cmath>

import softmax;
import spio.command;

using namespace spio::command;

// One kernel takes any number of rows: a launch chooses it.
static void set_up(trial_setup& setup, softmax::problem const& problem, softmax::Row rows) {
    constexpr float scale = 0.5F;
    auto const columns = softmax::Column(problem.columns);
    auto const x = setup.input<softmax::input_matrix>("x", {-2, 2}, rows, columns);
    auto const y = setup.output<softmax::output_matrix>("y", rows, columns);
    setup.launch(
        softmax::specialize(problem, setup.target()),
        [=](device_arrays const& arrays) {
            return softmax::params{.x = arrays[x], .y = arrays[y], .scale = scale};
        },
        [=](comparison& results) {
            // The exponent is rounded once, and is at most 4; the exponential has two units of
            // error, the sum one for each column, the quotient one.
            double const bound = gamma(columns.get() + 2 * (4 + 2) + 1, to_float.unit);
            auto const numbers = results.input(x);
            for (auto const row : spio::range(rows)) {
                double sum = 0;
                for (auto const column : spio::range(columns)) {
                    sum += std::exp(scale * *numbers[row][column]);
                }
                for (auto const column : spio::range(columns)) {
                    double const exact = std::exp(scale * *numbers[row][column]) / sum;
                    results.compare(y, row + column, exact, bound * exact);
                }
            }
        });
}

trial_family softmax_trials() {
    return trials_of<"softmax", set_up, "rows">(
        "y = softmax(scale * x) over the rows of a matrix of floats", "columns=1000 rows=37");
}
