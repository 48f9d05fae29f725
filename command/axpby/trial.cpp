// Tries axpby, y = a x + b y, on random vectors, and compares the results with sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data; its verdict counts the results that are wrong. A workbench
// is a device with the kernels that were loaded there, a config how blocks and threads share a
// problem, and a spec what a kernel is compiled from. A config_source finds measured
// configurations; without one the family, the kernels of one operation, chooses.
module;

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.axpby;
import spio.launch;
import spio.spec;

namespace spio::command {

namespace {

// The factors of all trials.
constexpr float a = 1.7f;
constexpr float b = -0.3f;

// A trial's problem, the kernel to compile, and the vectors, which are drawn when first needed.
struct axpby_data {
    axpby::problem problem;
    typed_spec<axpby::params> spec;
    std::mt19937 random;
    std::vector<float> x = {}, y = {};

    void draw() {
        auto const n = static_cast<std::size_t>(problem.n);
        x = random_floats(random, n, -2, 2);
        y = random_floats(random, n, -2, 2);
    }
};

// What a launch needs on the device.
struct axpby_arrays {
    spio::kernel<axpby::params> kernel;
    array<float> x, y;
};

// Loads the kernel and uploads the vectors.
prepared_trial prepare(workbench& bench, axpby_data const& data) {
    auto const arrays = std::make_shared<axpby_arrays>(
        bench.load(data.spec), bench.upload<float>(data.x, "x"), bench.upload<float>(data.y, "y"));
    auto const launch = [&data, arrays](stream const& stream) {
        axpby::N const n(data.problem.n);
        auto const& [kernel, x, y] = *arrays;
        stream.launch(kernel,
                      {.a = a, .x = x.as<axpby::scalars>(n), .b = b, .y = y.as<axpby::scalars>(n)});
    };
    auto const check = [&bench, &data, arrays, launch](stream const& stream) {
        bench.fill(arrays->y, data.y);
        launch(stream);
        stream.synchronize();
        auto const results = bench.download(arrays->y);
        auto const exact = axpby::reference(a, data.x, b, data.y);
        verdict verdict;
        for (std::size_t i = 0; i < results.size(); ++i) {
            // The bound: b * y is rounded first, and then the sum is rounded.
            double const product = to_float.unit * std::abs(double{b} * data.y[i]) + to_float.least;
            double const bound =
                product + to_float.unit * (std::abs(exact[i]) + product) + to_float.least;
            verdict.compare("y", i, results[i], exact[i], bound);
        }
        return verdict;
    };
    return {launch, check};
}

// `words` are the fields of the problem, such as "n=1000000".
trial create(std::string_view words, arch arch, unsigned seed, config_source const& configs) {
    auto const [problem] = parse_all<axpby::problem>("axpby", words);
    auto const spec = axpby::specialize(problem, arch, configs);
    auto const data = std::make_shared<axpby_data>(problem, spec, std::mt19937(seed));
    return {.problem = text_of(problem),
            .kernels = {spec},
            // x is read, y is read and written.
            .bytes_moved = 3 * sizeof(float) * static_cast<std::uint64_t>(problem.n),
            .prepare = [data](workbench& bench) {
                if (data->x.empty()) data->draw();
                return prepare(bench, *data);
            }};
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
    return {.name = "axpby",
            .meaning = "y = a x + b y over vectors of floats",
            .example = "n=1000000",
            .fields = describe_fields<axpby::problem>,
            .create = create,
            .configs = configs_worth_a_trial};
}

} // namespace spio::command
