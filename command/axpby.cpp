// Tries axpby.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

import spio.axpby;
import spio.launch;
import spio.spec;

namespace spio::command {

namespace {

using axpby::params;

constexpr float a = 1.7f;
constexpr float b = -0.3f;

struct data {
    axpby::problem problem;
    typed_spec<params> spec;
    std::vector<float> x, y;
};

class axpby_rehearsal : public rehearsal {
  public:
    axpby_rehearsal(stage& at, data const& of)
        : place(at),
          from(of),
          kernel(at.load(of.spec)),
          x(at.put<float>(of.x, "x")),
          y(at.put<float>(of.y, "y")) {}

    void launch(stream const& in) const override {
        axpby::N const n(from.problem.n);
        in.launch(kernel,
                  {.a = a, .x = x.as<axpby::scalars>(n), .b = b, .y = y.as<axpby::scalars>(n)});
    }

    verdict check(stream const& in) const override {
        place.fill(y, from.y);
        launch(in);
        in.synchronize();
        auto const got = place.get(y);
        auto const exact = axpby::reference(a, from.x, b, from.y);
        verdict all;
        for (std::size_t i = 0; i < got.size(); ++i) {
            // The product with b is rounded, and then the sum.
            double const product = to_float.unit * std::abs(double{b} * from.y[i]) + to_float.least;
            double const bound =
                product + to_float.unit * (std::abs(exact[i]) + product) + to_float.least;
            all.compare("y", i, got[i], exact[i], bound);
        }
        return all;
    }

  private:
    stage const& place;
    data const& from;
    kernel<params> kernel;
    array<float> x, y;
};

class axpby_trial : public trial {
  public:
    axpby_trial(axpby::problem const& of, arch arch, unsigned seed)
        : made{of, axpby::specialize(of, arch), {}, {}}, random(seed) {}
    std::string problem() const override { return text_of(made.problem); }
    std::vector<spec> kernels() const override { return {made.spec}; }
    // x is read, y is read and written.
    std::uint64_t bytes_moved() const override {
        return 3 * sizeof(float) * static_cast<std::uint64_t>(made.problem.n);
    }
    std::unique_ptr<rehearsal> on(stage& at) override {
        if (made.x.empty()) {
            auto const n = static_cast<std::size_t>(made.problem.n);
            made.x = random_floats(random, n, -2, 2);
            made.y = random_floats(random, n, -2, 2);
        }
        return std::make_unique<axpby_rehearsal>(at, made);
    }

  private:
    data made;
    std::mt19937 random;
};

} // namespace

trial_family const& axpby_trials() {
    static trial_family const one = {
        .name = "axpby",
        .meaning = "y = a x + b y over vectors of floats",
        .example = "n=1000000",
        .fields = words_of_fields<axpby::problem>,
        .make = [](std::string_view words, arch arch, unsigned seed) -> std::unique_ptr<trial> {
            auto const [problem] = values_of_words<axpby::problem>("axpby", words);
            return std::make_unique<axpby_trial>(problem, arch, seed);
        }};
    return one;
}

} // namespace spio::command
