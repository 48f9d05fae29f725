// Compiles convolutions and runs them on a GPU: random problems, or one in all configurations.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// configuration is how a kernel divides its work; a body is one of two ways to load tiles: by
// tensor maps and TMA (sm_90 and later), or by cp.async. A split is a share of the sums of wgrad;
// the blocks of a cluster add theirs.
//
//     convolution_on_gpu random COUNT [SHARE COUNT]          COUNT problems for each pass and body
//     convolution_on_gpu compile COUNT [SHARE COUNT]         the same, but launches no kernel
//     convolution_on_gpu sweep "n=2 c=64 …" [SHARE COUNT]    one problem in every configuration
//     convolution_on_gpu rows "n=2 c=24 …" [SHARE COUNT]     in those that copy rows of tiles
//
// A process with a share runs every COUNT-th kernel: several processes compile at the same time.
// With a cache in a folder (SPIO_CACHE_DIR), many cores may compile before a few run the kernels.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

import convolution_work;
import spio.conv2d;
import spio.conv2d.launch;
import spio.cuda;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;
using namespace spio::conv2d;
using namespace work;

namespace {

constexpr int without_gpu = 77; // a test that ends so was skipped

// Runs the kernel of the problem's pass and type of gradient.
template <class T>
void run_pass(runtime const& gpu, stream const& stream, std::mt19937& random,
              problem const& problem, config const& config, int repeats, tally& tally) {
    if (problem.pass != direction::wgrad) {
        run_correlation<T>(gpu, stream, random, problem, config, repeats, tally);
    } else if (problem.gradient == precision::fp32) {
        run_gradient<float, T>(gpu, stream, random, problem, config, repeats, tally);
    } else {
        run_gradient<T, T>(gpu, stream, random, problem, config, repeats, tally);
    }
}

// Compiles the kernels of a problem.
void compile(runtime const& gpu, problem const& problem, config const& config) {
    if (problem.pass == direction::wgrad) {
        weight_gradient const layer(gpu, problem, config);
    } else {
        convolution const layer(gpu, problem, config);
    }
}

// Whether one problem gives right results in one configuration. Without repeats it is compiled
// only.
bool try_once(runtime const& gpu, stream const& stream, unsigned seed, problem const& problem,
              config const& config, int repeats, tally& tally) {
    std::mt19937 random(seed);
    auto const wrong_count = tally.wrong;
    try {
        if (repeats == 0) {
            compile(gpu, problem, config);
        } else if (problem.type == element_type::fp16) {
            run_pass<half>(gpu, stream, random, problem, config, repeats, tally);
        } else {
            run_pass<bfloat16>(gpu, stream, random, problem, config, repeats, tally);
        }
    } catch (std::exception const& e) {
        ++tally.wrong;
        std::printf("%s\n", e.what());
    }
    ++tally.problems;
    if (tally.wrong == wrong_count) return true;
    std::printf("FAIL conv2d %s by %s, seed %u\n", text_of(problem).c_str(),
                config_text(config).c_str(), seed);
    std::fflush(stdout);
    return false;
}

// A problem whose output has at least one element, with random options of its pass.
problem random_problem(std::mt19937& random, direction pass) {
    auto const uniform = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    problem problem = {.n = random() % 8 == 0 ? uniform(7, 64) : uniform(1, 6),
                       .c = 8 * (random() % 8 == 0 ? uniform(21, 256) : uniform(1, 20)),
                       .h = 1,
                       .w = 1,
                       .pass = pass};
    problem.r = uniform(1, 7);
    problem.s = uniform(1, 7);
    problem.pad_h = uniform(0, problem.r + 1);
    problem.pad_w = uniform(0, problem.s + 1);
    problem.stride_h = uniform(1, 2);
    problem.stride_w = uniform(1, 2);
    problem.dilation_h = uniform(1, 2);
    problem.dilation_w = uniform(1, 2);
    problem.h = std::max(1, problem.extent_h() - 2 * problem.pad_h) + uniform(0, 20);
    problem.w = std::max(1, problem.extent_w() - 2 * problem.pad_w) +
                uniform(0, random() % 4 == 0 ? 90 : 24);
    problem.bias = pass != direction::dgrad && uniform(0, 1) == 1;
    problem.made_for = static_cast<known_sizes>(uniform(0, 2));
    problem.type = static_cast<element_type>(uniform(0, 1));
    if (pass != direction::wgrad && uniform(0, 1) == 1) {
        problem.activation = static_cast<activation>(uniform(0, 3));
    }
    if (pass == direction::fprop) {
        problem.scale = uniform(0, 3) == 0;
        problem.residual = uniform(0, 3) == 0;
        bool const is_output = problem.activation == activation::none && !problem.residual;
        problem.preactivation = !is_output && uniform(0, 1) == 1;
    }
    if (pass == direction::wgrad && uniform(0, 1) == 1) {
        problem.gradient = precision_of(problem.type);
    }
    return problem;
}

// The kernels of one of several processes that divide the work.
struct share {
    unsigned number = 0, count = 1;
    // Kernels are dealt in turn.
    bool contains(std::size_t index) const { return index % count == number; }
};

// Prints what was compared; returns 1 if a number was wrong.
int print_tally(char const* title, tally const& tally) {
    std::printf(
        "summary: gpu.convolution: %s: %zu kernels, %zu numbers, %zu wrong, the worst at %.3f of "
        "its bound, %zu repeats\n",
        title, tally.problems, tally.numbers, tally.wrong, tally.worst, tally.repeats);
    return tally.wrong == 0 ? 0 : 1;
}

// Whether clusters of blocks add the sums of wgrad.
bool adds_in_cluster(config const& config) {
    auto const* const gradient = std::get_if<wgrad_tma::config>(&config);
    return gradient != nullptr && gradient->adds_in_cluster();
}

// The configuration with a cluster of 16 blocks and a ring that is short enough for it, or itself
// if there is no room for the sums of so many.
config with_large_cluster(problem const& problem, config const& small) {
    auto large = std::get<wgrad_tma::config>(small);
    large.splits = large.cluster = wgrad_tma::config::most_cluster;
    while (large.stages > 2 && !large.fits(problem)) --large.stages;
    return large.fits(problem) ? config(large) : small;
}

// The configuration with two warps for the taps of a group, or itself if these do not fit.
config with_two_parts(problem const& problem, config const& original) {
    auto divided = std::get<wgrad_tma::config>(original);
    divided.parts = 2;
    return divided.fits(problem) ? config(divided) : original;
}

// The configuration with blocks of all groups that copy rows of tiles, of as many rows as a block
// has memory for, or itself where rows cannot be copied.
config with_whole_rows(problem const& problem, config const& original, arch arch) {
    auto copied = std::get<tma::config>(original);
    copied.groups = problem.groups();
    copied.images = 1;
    copied.columns = (copied.columns + 15) / 16 * 16;
    copied.blocks = 0;
    copied.whole_rows = true;
    auto const has_room = [&] {
        return copied.fits(problem) && copied.shared_bytes(problem) <= shared_bytes_of_block(arch);
    };
    while (copied.rows > 1 && !has_room()) copied.rows = (copied.rows + 1) / 2;
    return has_room() ? config(copied) : original;
}

// Runs `count` random problems of each pass, with and without TMA, in one configuration each; or
// compiles them only. Every second wgrad takes a cluster, where the list has one, and half of these
// take one of 16 blocks. Two in three take two warps for the taps of a group, where they fit. Half
// of fprop and dgrad by TMA copy rows of tiles, where that is possible.
int run_random(runtime const& gpu, stream const& stream, std::size_t count, share share,
               bool is_launched) {
    int failed = 0;
    for (auto const pass : {direction::fprop, direction::dgrad, direction::wgrad}) {
        for (bool const with_maps : {false, true}) {
            tally tally;
            for (std::size_t n = 0; n < count; ++n) {
                if (!share.contains(n)) continue;
                auto const seed =
                    static_cast<unsigned>(1000 * n + 10 * enumerator_name(pass)[0] + with_maps);
                std::mt19937 random(seed);
                auto problem = random_problem(random, pass);
                // By TMA there is no dgrad of stride 2 for some filters.
                if (with_maps && pass == direction::dgrad && !tma::config::has_pass(problem)) {
                    problem.stride_h = problem.stride_w = 1;
                }
                // Configurations of one kind of kernel, with TMA or with cp.async.
                auto configs = space(problem, with_maps ? gpu.arch() : sm_80);
                std::erase_if(configs, [&](auto const& c) { return needs_maps(c) != with_maps; });
                // Where the estimate lists none by TMA, the best of that body.
                if (configs.empty() && with_maps)
                    configs = {pass == direction::wgrad
                                   ? config(best_wgrad_tma(problem, gpu.arch()))
                                   : config(best_tma(problem))};
                auto const cluster = std::ranges::find_if(configs, adds_in_cluster);
                auto chosen = configs[random() % configs.size()];
                if (n % 2 == 0 && cluster != configs.end()) {
                    chosen = n % 4 == 0 ? with_large_cluster(problem, *cluster) : *cluster;
                }
                if (pass == direction::wgrad && with_maps && n % 3 != 0) {
                    chosen = with_two_parts(problem, chosen);
                }
                if (pass != direction::wgrad && with_maps && n % 2 == 1) {
                    chosen = with_whole_rows(problem, chosen, gpu.arch());
                }
                // Every eighth is launched 100 times, which must give the same bits each time.
                int const repeats = n % 8 == 0 ? 100 : 1;
                try_once(gpu, stream, seed, problem, chosen, is_launched ? repeats : 0, tally);
            }
            auto const title =
                "random " + enumerator_name(pass) + (with_maps ? " by tma" : " by cp_async");
            failed |= print_tally(title.c_str(), tally);
        }
    }
    return failed;
}

// Whether tiles are copied row by row.
bool has_whole_rows(config const& config) {
    auto const* const body = std::get_if<tma::config>(&config);
    return body != nullptr && body->whole_rows;
}

// Runs one problem in some configurations. (Kernel.fprop, input_gradient, weight_gradient)
int run_configs(runtime const& gpu, stream const& stream, std::string_view words,
                std::vector<config> const& configs, share share) {
    auto const layer = parse<problem>("conv2d", words);
    tally tally;
    std::size_t n = 0;
    for (auto const& config : configs) {
        if (share.contains(n++))
            try_once(gpu, stream, /*seed=*/1, layer, config, /*repeats=*/3, tally);
    }
    return print_tally(std::string(words).c_str(), tally);
}
// Runs one problem in every configuration.
int run_sweep(runtime const& gpu, stream const& stream, std::string_view words, share share) {
    auto const configs = space(parse<problem>("conv2d", words), gpu.arch());
    return run_configs(gpu, stream, words, configs, share);
}
// Runs one problem in the configurations that copy rows of tiles.
int run_rows(runtime const& gpu, stream const& stream, std::string_view words, share share) {
    std::vector<config> configs;
    for (auto const& each : candidates(parse<problem>("conv2d", words), gpu.arch())) {
        if (has_whole_rows(each.config)) configs.push_back(each.config);
    }
    return run_configs(gpu, stream, words, configs, share);
}

} // namespace

int main(int count, char** words) {
    std::vector<std::string> const arguments(words + 1, words + count);
    if (arguments.size() != 2 && arguments.size() != 4) {
        std::printf("convolution_on_gpu random | compile COUNT | sweep | rows \"PROBLEM\"   [SHARE "
                    "COUNT]\n");
        return arguments.empty() ? without_gpu : 2;
    }
    std::optional<runtime> gpu;
    try {
        gpu.emplace();
    } catch (spio::error const& e) {
        std::printf("no GPU: %s\n", e.what());
        return without_gpu;
    }
    // Arrays lie between guards, which no kernel may write to; they are allocated on this device.
    guarded<half>::use(gpu->target_device());
    guarded<bfloat16>::use(gpu->target_device());
    guarded<float>::use(gpu->target_device());
    stream const stream(gpu->target_device());
    share share;
    if (arguments.size() == 4) {
        share = {static_cast<unsigned>(std::stoul(arguments[2])),
                 static_cast<unsigned>(std::stoul(arguments[3]))};
    }
    if (arguments[0] == "sweep") return run_sweep(*gpu, stream, arguments[1], share);
    if (arguments[0] == "rows") return run_rows(*gpu, stream, arguments[1], share);
    return run_random(*gpu, stream, std::stoul(arguments[1]), share, arguments[0] == "random");
}
