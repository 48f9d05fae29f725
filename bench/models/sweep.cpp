// Measures many configurations of many convolutions on a GPU, for the training of models.
// SPDX-License-Identifier: Apache-2.0
//
//     models_sweep count PLAN
//     models_sweep compile PLAN --part I/N [--arch ARCH]
//     models_sweep measure PLAN OUT [--seconds S] [--note TEXT]
//
// `count` tells how many kernels and times there will be. PLAN has groups of layers that share
// their kernels (plan.py writes it). `compile` puts a part of all kernels into the cache of
// compiled images, so that several processes can share the work; for ARCH it needs no GPU.
// `measure` appends the times of each layer to OUT, and leaves out layers that OUT has already. A
// layer is not measured in part: it is written when all its configurations are timed.
#include "measurement.h"
#include "plan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

import spio.conv2d;
import spio.cuda;
import spio.jit;
import spio.runtime;
import spio.spec;

namespace {

using namespace spio::bench;
using clock_type = std::chrono::steady_clock;

// The command line: words without a flag, and the values of flags. A process measures one of so
// many parts of the plan.
struct request {
    std::vector<std::string> words;
    double seconds = 1e9;
    unsigned part = 0, parts = 1;
    std::string note, arch;
};
request parse(int count, char** words) {
    request r;
    for (int i = 1; i < count; ++i) {
        std::string const word = words[i];
        if (!word.starts_with("--")) {
            r.words.push_back(word);
            continue;
        }
        if (++i == count) throw std::runtime_error(word + " takes a value");
        if (word == "--seconds") {
            r.seconds = std::stod(words[i]);
        } else if (word == "--note") {
            r.note = words[i];
        } else if (word == "--arch") {
            r.arch = words[i];
        } else if (word == "--part") {
            if (std::sscanf(words[i], "%u/%u", &r.part, &r.parts) != 2 || r.part >= r.parts) {
                throw std::runtime_error("--part is I/N, with I below N");
            }
        } else {
            throw std::runtime_error("there is no option " + word);
        }
    }
    bool const is_count = r.words.size() == 2 && r.words[0] == "count";
    bool const is_compile = r.words.size() == 2 && r.words[0] == "compile";
    bool const is_measure = r.words.size() == 3 && r.words[0] == "measure";
    if (!is_count && !is_compile && !is_measure) {
        throw std::runtime_error("the words must be 'count PLAN', 'compile PLAN' or 'measure "
                                 "PLAN OUT'");
    }
    return r;
}

// Prints how many kernels and times a plan asks for.
void count(request const& asked) {
    std::size_t kernels = 0, layers = 0, times = 0;
    double milliseconds = 0;
    for (auto const& group : read_plan(asked.words[1])) {
        auto const configs = choose_configs(group, spio::sm_90a);
        kernels +=
            configs.size() * (group.compiled().pass == spio::conv2d::direction::wgrad ? 2 : 1);
        layers += group.layers.size();
        for (auto const& layer : group.layers) {
            std::vector<double> estimates;
            for (auto const& config : configs) {
                if (!fits(layer, config)) continue;
                estimates.push_back(explain(layer, config, spio::sm_90a).microseconds);
            }
            if (estimates.empty()) continue;
            auto const most = slowest_measured * *std::ranges::min_element(estimates);
            for (auto const estimate : estimates) {
                if (estimate > most) continue;
                ++times;
                milliseconds += estimate / 1e3;
            }
        }
    }
    std::printf("%zu kernels, %zu layers, %zu times, %.0f ms of a launch each\n", kernels, layers,
                times, milliseconds);
}

// The architecture that is asked for, or else that of the GPU.
spio::arch arch_of(request const& asked) {
    if (asked.arch.empty()) return spio::runtime().arch();
    if (auto const found = spio::find_arch(asked.arch)) return *found;
    throw std::runtime_error("there is no architecture " + asked.arch);
}

// Compiles every parts-th kernel of the plan, those of the first groups first.
void compile(request const& asked) {
    auto const arch = arch_of(asked);
    spio::jit::just_in_time const compiler;
    unsigned number = 0;
    for (auto const& group : read_plan(asked.words[1])) {
        for (auto const& config : choose_configs(group, arch)) {
            for (auto const& spec : specs_of(group.compiled(), config, arch)) {
                if (number++ % asked.parts != asked.part) continue;
                try {
                    compiler.compile(spec);
                } catch (spio::error const& e) {
                    std::fprintf(stderr, "%s\n", e.what());
                }
            }
        }
    }
}

// The problems that a file of times has already.
std::set<std::string> problems_in(std::string const& file) {
    std::set<std::string> problems;
    std::ifstream input(file);
    for (std::string line; std::getline(input, line);) {
        if (line.starts_with("problem ")) problems.insert(line.substr(8));
    }
    return problems;
}

// Appends the times of the layers that the file lacks, group by group, until the seconds are over.
void measure(request const& asked) {
    auto const begin = clock_type::now();
    auto const elapsed = [&] {
        return std::chrono::duration<double>(clock_type::now() - begin).count();
    };
    auto const done = problems_in(asked.words[2]);
    std::ofstream out(asked.words[2], std::ios::app);
    spio::cuda::driver const driver;
    measurement bench(driver);
    if (done.empty()) {
        out << "# " << bench.gpu_name() << " | " << spio::text_of(bench.arch()) << " | "
            << asked.note << '\n';
    }
    auto const groups = read_plan(asked.words[1]);
    std::size_t number = 0, layers = 0, times = 0;
    for (auto const& group : groups) {
        ++number;
        if (elapsed() > asked.seconds) break;
        auto const layers_left = std::ranges::count_if(
            group.layers, [&](auto const& layer) { return !done.contains(spio::text_of(layer)); });
        if (layers_left == 0) continue;
        auto const kernels = bench.prepare(group, out);
        auto const prepared = elapsed();
        for (auto const& layer : group.layers) {
            if (elapsed() > asked.seconds) break;
            if (done.contains(spio::text_of(layer))) continue;
            times += bench.measure(layer, kernels, out);
            out.flush();
            ++layers;
        }
        std::printf("%6.1f s (%.1f to prepare): group %zu of %zu, %zu kernels, %zu layers, %zu "
                    "times: %s\n",
                    elapsed(), prepared, number, groups.size(), kernels.size(), layers, times,
                    group.words.c_str());
        std::fflush(stdout);
    }
    if (!out.flush()) throw std::runtime_error(asked.words[2] + " cannot be written");
}

} // namespace

int main(int argument_count, char** words) {
    try {
        auto const r = parse(argument_count, words);
        auto const& task = r.words[0];
        task == "count" ? count(r) : task == "compile" ? compile(r) : measure(r);
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
