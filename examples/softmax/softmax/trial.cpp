// How the command tries a softmax: on random rows, whose results it compares with those in double.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

import softmax;
import spio.command;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio::command;

// The number of rows, which a launch chooses: one kernel takes any.
struct softmax_rows {
    int rows = 100;
};
template <> struct spio::field_table<softmax_rows> {
    static constexpr auto fields = std::tuple(
        spio::field{"rows", &softmax_rows::rows, {.least = 1}, spio::presence::optional});
};

namespace {

constexpr float scale = 0.5F;

struct softmax_trial {
    softmax::Column columns;
    softmax::Row rows;
    spio::typed_spec<softmax::params> spec;
    std::vector<float> x = {};

    std::size_t size() const {
        return static_cast<std::size_t>(rows.get()) * static_cast<std::size_t>(columns.get());
    }
    verdict compare(std::span<float const> y) const;
};

// The exponent is rounded once, and is at most 4; the exponential has two units of error, the sum
// one for each column, the quotient one. gamma() bounds the relative error of so many roundings.
verdict softmax_trial::compare(std::span<float const> y) const {
    verdict found;
    auto const width = static_cast<std::size_t>(columns.get());
    for (std::size_t first = 0; first < x.size(); first += width) {
        double sum = 0;
        for (auto const value : std::span(x).subspan(first, width)) sum += std::exp(scale * value);
        for (std::size_t i = first; i < first + width; ++i) {
            double const exact = std::exp(scale * x[i]) / sum;
            double const units = columns.get() + 2 * (4 + 2) + 1;
            found.compare("y", i, y[i], exact, gamma(units, to_float.unit) * exact);
        }
    }
    return found;
}

// What the command times, a launch, and what it prints the verdict of: a launch into an array that
// was poisoned, filled with values that no result may keep. The workbench is the device at hand.
prepared_trial prepare(workbench& bench, softmax_trial const& trial) {
    struct arrays {
        spio::kernel<softmax::params> kernel;
        spio::array<float> x, y;
    };
    auto const device =
        std::make_shared<arrays>(bench.load(trial.spec), bench.upload<float>(trial.x, "x"),
                                 bench.upload<float>(trial.x, "y"));
    auto const launch = [&trial, device](spio::stream const& stream) {
        auto const& [kernel, x, y] = *device;
        kernel.launch(stream, {.x = x.as<softmax::input_matrix>(trial.rows, trial.columns),
                               .y = y.as<softmax::output_matrix>(trial.rows, trial.columns),
                               .scale = scale});
    };
    auto const check = [&bench, &trial, device, launch](spio::stream const& stream) {
        bench.poison(device->y);
        launch(stream);
        return trial.compare(bench.download(device->y));
    };
    return {launch, check};
}

// `words` are the fields of the problem and of the launch, such as "columns=1000 rows=37".
trial create(std::string_view words, spio::arch arch, unsigned seed, spio::config_source const&) {
    auto const [problem, launch] = parse_all<softmax::problem, softmax_rows>("softmax", words);
    auto const data =
        std::make_shared<softmax_trial>(softmax::Column(problem.columns), softmax::Row(launch.rows),
                                        softmax::specialize(problem, arch));
    return {.problem = spio::text_of(problem) + " " + spio::text_of(launch),
            .kernels = {data->spec},
            .bytes_moved = spio::checked_size(2 * sizeof(float)) * problem.columns * launch.rows,
            .prepare = [data, seed](workbench& bench) {
                std::mt19937 random(seed);
                if (data->x.empty()) data->x = random_floats(random, data->size(), -2, 2);
                return prepare(bench, *data);
            }};
}

} // namespace

trial_family softmax_trials() {
    return {.name = "softmax",
            .meaning = "y = softmax(scale * x) over the rows of a matrix of floats",
            .example = "columns=1000 rows=37",
            .fields = describe_fields<softmax::problem, softmax_rows>,
            .create = create};
}
