// Measures how long a choice of a configuration takes, the first of a layer and a repeated one.
// SPDX-License-Identifier: Apache-2.0
//
// A candidate is a configuration that may be chosen. fprop is the forward pass, dgrad computes the
// gradient of the input, wgrad that of the filter.
//
//     models_pick PLAN [PROBLEM]
//
// PLAN is what plan.py writes. Each layer is chosen for in several rounds, of which the least time
// counts: other programs make single ones longer. Of a problem it prints what the model predicts of
// its candidates.
#include "plan.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

import spio.conv2d;
import spio.spec;

namespace {

using namespace spio;
using clock_type = std::chrono::steady_clock;

// How long a call of f takes.
template <class F> double microseconds(F f) {
    auto const start = clock_type::now();
    f();
    return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

// Prints the median, the 90th percentile and the greatest of the times.
void tell(char const* name, std::vector<double> times) {
    std::ranges::sort(times);
    std::printf("%s: median %.2f us, of 90 %% at most %.2f us, at most %.2f us\n", name,
                times[times.size() / 2], times[times.size() * 9 / 10], times.back());
}

// The least times of a layer over all rounds.
struct layer_times {
    double first = 1e9, repeated = 1e9, list = 1e9;
};

// Times the choice of a configuration for each layer of a plan: the first choice, and a repeated
// one. Each round is a thread of its own, since a thread keeps its last choices.
void measure(std::string const& plan) {
    constexpr int rounds = 30, calls = 100;
    std::vector<conv2d::problem> layers;
    for (auto const& group : bench::read_plan(plan)) {
        layers.insert(layers.end(), group.layers.begin(), group.layers.end());
    }
    std::vector<layer_times> least(layers.size());
    std::size_t model_choices = 0, candidates = 0;
    unsigned long long sum = 0; // is printed, so that no choice is optimized away
    auto const run_round = [&] {
        model_choices = candidates = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            auto const& layer = layers[i];
            conv2d::choice found = {};
            auto const first = microseconds([&] { found = choose(layer, sm_90a); });
            auto const repeated = microseconds([&] {
                for (int call = 0; call < calls; ++call)
                    sum += choose(layer, sm_90a).config.index();
            });
            auto const list =
                microseconds([&] { candidates += conv2d::candidates(layer, sm_90a).size(); });
            model_choices += found.origin == config_origin::model;
            least[i] = {std::min(least[i].first, first),
                        std::min(least[i].repeated, repeated / calls),
                        std::min(least[i].list, list)};
        }
    };
    for (int round = 0; round < rounds; ++round) std::jthread{run_round};
    std::vector<double> firsts[2], repeated, lists[2];
    for (std::size_t i = 0; i < layers.size(); ++i) {
        bool const is_gradient = layers[i].pass == conv2d::direction::wgrad;
        firsts[is_gradient].push_back(least[i].first);
        lists[is_gradient].push_back(least[i].list);
        repeated.push_back(least[i].repeated);
    }
    tell("fprop and dgrad, the first time", firsts[0]);
    tell("wgrad, the first time", firsts[1]);
    tell("again", repeated);
    tell("the candidates and their estimates alone, fprop and dgrad", lists[0]);
    tell("the candidates and their estimates alone, wgrad", lists[1]);
    std::printf("%zu of %zu layers by the model, %.1f candidates each (%llu)\n", model_choices,
                layers.size(), static_cast<double>(candidates) / static_cast<double>(layers.size()),
                sum % 10);
}

// Prints all configurations of one problem, with the times that the model and the estimate predict.
void explain_choice(std::string const& words) {
    auto const problem = parse<conv2d::problem>("conv2d", words);
    auto const ranking = rank(problem, sm_90a);
    std::printf("%s%s\n", ranking.refusal.c_str(), choose(problem, sm_90a).refusal.c_str());
    for (auto const& [config, expected, predicted] : ranking.configs) {
        std::printf("%8.2f us, estimate %8.2f: %s\n", predicted, expected.microseconds,
                    conv2d::config_text(config).c_str());
    }
}

} // namespace

int main(int count, char** words) {
    try {
        if (count < 2) throw std::runtime_error("usage: models_pick PLAN [PROBLEM]");
        count > 2 ? explain_choice(words[2]) : measure(words[1]);
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
