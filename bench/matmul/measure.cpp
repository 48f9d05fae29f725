// Matrix products on a GPU: ours, those of cuBLAS, and what its tensor cores can do at most.
// SPDX-License-Identifier: Apache-2.0
//
//     bench_matmul FOLDER SET… [OPTION]…
//     bench_matmul FOLDER SET… --compile PART PARTS [OPTION]…
//
// FOLDER keeps the kernels that NVRTC compiles; --compile does only that, for one of PARTS equal
// parts of those that the sets and the other options name. A SET is ceilings, which are loops that
// only multiply, or one of shapes.h: squares of 1024 to 8192, layers of networks, random shapes,
// training, the shapes that a model learns from, or m x n x k, such as 64x128x512. In each round
// all kernels of a product run in random order. A line of JSON is printed for each kernel of each
// product. A body is one of two kernel templates, wgmma and cp_async.
//     --seed N, --count N     the random shapes
//     --every FIRST STEP      only these shapes of a set
//     --rounds N, --seconds S how often, and for how long at a time
//     --rotation MIB          buffers are used in turn until so much memory has been touched
//     --all, --all-cp-async   all configurations of a body, not only the one that is chosen
//     --slowest RATIO         none whose estimate is more than so many times the least
//     --config TEXT           this configuration too, as often as there are such words
//     --table                 a line for each product, with the least times of its kernels
//     --times                 all times of the body wgmma, for bench/models/train.py
//     --most-sets N           so many sets of buffers at most
//     --repeat N              each kernel runs N times more, and its results are compared bit by
//     bit
#include "matmul/cp_async.h"
#include "matmul/wgmma.h"

#include "ceiling/problem.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <vector>

import ceiling;
import spio.cache;
import spio.cuda;
import spio.jit;
import spio.launch;
import spio.matmul;
import spio.matmul.launch;
import spio.runtime;
import spio.spec;

#include "contest.h"

namespace {

using namespace spio;
using namespace spio::bench;
// The rate of a loop that only multiplies.
void run_ceiling(machine const& machine, std::string const& name, ceiling::config const& config,
                 options const& options) {
    auto const spec = ceiling::specialize(name, config, machine.gpu.arch());
    auto const kernel = machine.gpu.load(spec);
    // A block for each SM of an H200 or an A100, for some milliseconds.
    int const blocks = machine.gpu.target_device().arch().has_wgmma() ? 132 : 108;
    int const steps = 20000;
    ceiling::params const params = {
        .numbers = reinterpret_cast<unsigned short const*>(machine.factors.address()),
        .sums = reinterpret_cast<float*>(machine.results.address()),
        .steps = steps};
    auto const graph = machine.stream.capture(
        [&] { machine.stream.launch(kernel, kernel.over({blocks}), params); });
    double const work = 2e-6 * config.products() * steps * blocks; // TFLOP/s times microseconds
    std::vector<double> rates, bursts;
    reading sensors;
    for (int round = 0; round < options.rounds; ++round) {
        auto const time = machine.time(graph, /*calls=*/1, 2 * options.seconds);
        rates.push_back(work / time.microseconds);
        bursts.push_back(work / machine.burst(graph, /*calls=*/1));
        sensors = time.sensors;
    }
    std::printf(
        "{\"name\": \"ceiling\", \"kernel\": \"%s\", \"tflops\": %.1f, \"burst_tflops\": %.1f, "
        "\"watts\": %u, \"megahertz\": %u}\n",
        name.c_str(), median(rates), median(bursts), sensors.watts, sensors.megahertz);
    std::fflush(stdout);
}

// The shapes of a set that are to be measured.
std::vector<shape> chosen_shapes(std::string const& set, options const& options) {
    std::vector<shape> chosen;
    auto const shapes = shapes_named(set, options.seed, options.count);
    for (auto i = static_cast<std::size_t>(options.first_shape); i < shapes.size();
         i += static_cast<std::size_t>(options.shape_step)) {
        chosen.push_back(shapes[i]);
    }
    return chosen;
}

// Compiles a part of all kernels, so that several processes share the work. It needs no GPU.
void compile(std::string const& folder, options const& options) {
    cache::folders folders(machine::cached_in(folder));
    jit::just_in_time const compiler(folders);
    std::set<std::string> configs(options.configs.begin(), options.configs.end());
    for (auto const& set : options.sets) {
        for (auto const& shape : chosen_shapes(set, options)) {
            for (auto const& [config, is_chosen] : configs_of(shape.problem, sm_90a, options)) {
                configs.insert(matmul::config_text(config));
            }
        }
    }
    int number = 0;
    for (auto const& config : configs) {
        if (number++ % options.parts != options.part) continue;
        auto const start = std::chrono::steady_clock::now();
        try {
            compiler.compile(matmul::spec_of(any_sizes(product_of(1, 1, 1)),
                                             matmul::parse_config(config), sm_90a));
        } catch (std::exception const& failed) {
            std::fprintf(stderr, "%s: %s\n", config.c_str(), failed.what());
        }
        std::chrono::duration<double, std::milli> const took =
            std::chrono::steady_clock::now() - start;
        std::printf("{\"name\": \"compiled\", \"config\": \"%s\", \"ms\": %.1f}\n", config.c_str(),
                    took.count());
    }
}

void go(std::string const& folder, options const& options) {
    if (options.parts > 0) return compile(folder, options);
    machine const machine(folder, /*bytes=*/2048 * mebibyte);
    contest contest(machine, options);
    auto const gpu = machine.driver.device(0).name();
    if (options.prints_times) {
        std::printf("# %s | sm_90a | cuBLAS %d\n", gpu.c_str(), contest.blas_version());
    } else {
        std::printf("{\"name\": \"machine\", \"gpu\": \"%s\", \"cublas\": %d, \"seed\": %u}\n",
                    gpu.c_str(), contest.blas_version(), options.seed);
    }
    for (auto const& set : options.sets) {
        if (set == "ceilings") {
            run_ceiling(machine, "wgmma", {.m = 128, .n = 256, .stages = 4}, options);
            run_ceiling(machine, "mma_sync", {.m = 128, .n = 256, .stages = 0}, options);
        }
        for (auto const& shape : chosen_shapes(set, options)) contest.run(set, shape);
    }
}

} // namespace

int main(int argc, char** argv) {
    options options;
    for (int i = 2; i < argc; ++i) {
        std::string_view const word = argv[i];
        auto const next = [&] { return i + 1 < argc ? argv[++i] : "0"; };
        if (word == "--seed")
            options.seed = static_cast<unsigned>(std::atoi(next()));
        else if (word == "--count")
            options.count = std::atoi(next());
        else if (word == "--rounds")
            options.rounds = std::atoi(next());
        else if (word == "--seconds")
            options.seconds = std::atof(next());
        else if (word == "--all")
            options.takes_all = true;
        else if (word == "--all-cp-async")
            options.takes_all_cp_async = true;
        else if (word == "--rotation")
            options.rotation = static_cast<std::size_t>(std::atoi(next())) * mebibyte;
        else if (word == "--config")
            options.configs.emplace_back(next());
        else if (word == "--slowest")
            options.slowest = std::atof(next());
        else if (word == "--table")
            options.prints_table = true;
        else if (word == "--times")
            options.takes_all = options.prints_times = true;
        else if (word == "--most-sets")
            options.most_sets = static_cast<std::size_t>(std::atoi(next()));
        else if (word == "--every")
            options.first_shape = std::atoi(next()), options.shape_step = std::atoi(next());
        else if (word == "--repeat")
            options.repeats = std::atoi(next());
        else if (word == "--compile")
            options.part = std::atoi(next()), options.parts = std::atoi(next());
        else
            options.sets.emplace_back(word);
    }
    if (argc < 3)
        return std::fprintf(stderr, "usage: bench_matmul FOLDER SET… (see measure.cpp)\n"), 2;
    try {
        go(argv[1], options);
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
