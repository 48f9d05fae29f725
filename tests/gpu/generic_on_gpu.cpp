// Generic kernels of convolutions on a GPU: first calls, random layers, and their time.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every layer with the same filter. PACK is a file of them. A runtime
// begins a layer with its generic kernel, compiles the kernel of the problem alone in the
// background, and takes it for later launches (tier-up). The passes are fprop, the forward pass,
// dgrad, the gradient of the input, and wgrad, that of the filter.
//
//     generic_on_gpu first PACK "n=2 c=64 …"          the first calls of a problem in this process
//     generic_on_gpu random PACK COUNT [SEED]         COUNT random layers for each pass
//     generic_on_gpu times PACK "n=2 c=64 …" …        generic kernels beside those of the problem
//     alone
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import convolution_work;
import spio.aot;
import spio.conv2d;
import spio.conv2d.launch;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;
using namespace spio::conv2d;
using namespace work;

namespace {

using clock_type = std::chrono::steady_clock;

double microseconds_since(clock_type::time_point start) {
    return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

// The problem that the words describe, for this pass.
problem layer_of(std::string const& words, direction pass) {
    auto layer = parse<problem>("conv2d", words);
    layer.pass = pass;
    return layer;
}
constexpr direction passes[] = {direction::fprop, direction::dgrad, direction::wgrad};

// The arrays of a problem, of elements in fp16, and its launch.
struct work_set {
    conv2d::problem problem;
    array<half> x, y, filter;
    array<float> dw, workspace;

    work_set(device const& device, conv2d::problem const& p, std::size_t workspace_floats)
        : problem(p),
          x(device, static_cast<std::size_t>(size_of_x(p))),
          y(device, static_cast<std::size_t>(size_of_y(p))),
          filter(device, static_cast<std::size_t>(size_of_filter(p))),
          dw(device, static_cast<std::size_t>(p.pass == direction::wgrad ? size_of_filter(p) : 1)),
          workspace(device, std::max<std::size_t>(1, workspace_floats)) {}

    void launch(convolution const& kernel, stream const& stream) const {
        bool const is_forward = problem.pass == direction::fprop;
        auto const sizes = correlation_of(problem);
        auto const& input = is_forward ? x : y;
        auto const& output = is_forward ? y : x;
        kernel.launch(stream,
                      correlation_args<half>{
                          .input = input_of<half const>(input.data(), N(problem.n), H(sizes.h),
                                                        W(sizes.w), C(problem.c)),
                          .filter = filter_of<half const>(filter.data(), K(problem.c), R(problem.r),
                                                          S(problem.s)),
                          .output = output_of<half>(output.data(), N(problem.n), P(sizes.p),
                                                    Q(sizes.q), K(problem.c))});
    }
    void launch(weight_gradient const& kernel, stream const& stream) const {
        using args = wgrad_args<float>;
        kernel.launch(
            stream,
            args{.x = input_of<half const>(x.data(), N(problem.n), H(problem.h), W(problem.w),
                                           C(problem.c)),
                 .dy = decltype(args::dy)(y.data(), N(problem.n), P(problem.p()), Q(problem.q()),
                                          K(problem.c)),
                 .dw = filter_of<float>(dw.data(), K(problem.c), R(problem.r), S(problem.s)),
                 .workspace = floats(workspace.data(), FLOAT(static_cast<int>(workspace.size())))});
    }
};

// A pack, wherever it lies: what is measured here is no program of others.
aot::pack pack_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    auto const bytes = std::make_shared<std::vector<char> const>(
        std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return aot::pack(std::as_bytes(std::span(*bytes)), path, bytes);
}

// A runtime on the first GPU, with the generic kernels of the pack.
runtime opened(std::string const& pack, policy policy) {
    return runtime({.policy = policy, .generic_images = pack_of(pack)});
}

// Prints how long a layer's first call takes, from the problem to its result.
template <class Kernel>
void first_call(runtime const& gpu, stream const& stream, problem const& layer) {
    auto const start = clock_type::now();
    Kernel const kernel(gpu, layer);
    auto const making = microseconds_since(start);
    std::size_t workspace_floats = 0;
    if constexpr (requires { kernel.workspace_floats(); }) {
        workspace_floats = kernel.workspace_floats();
    }
    // The better kernel, which comes later, may take a larger workspace.
    work_set const work(gpu.target_device(), layer, 4 * workspace_floats);
    auto const second = clock_type::now();
    work.launch(kernel, stream);
    auto const launched = microseconds_since(second);
    stream.synchronize();
    auto const run = microseconds_since(second);
    auto const third = clock_type::now();
    kernel.prepare();
    auto const compiled = microseconds_since(third);
    auto const last = clock_type::now();
    work.launch(kernel, stream);
    stream.synchronize();
    std::printf("first: %s: made in %.0f us, launched in %.0f us, ended after %.0f us; the better "
                "kernel came after %.0f us, its launch ended after %.0f us\n",
                enumerator_name(layer.pass).c_str(), making, launched, run, compiled,
                microseconds_since(last));
    std::fflush(stdout);
}

// Measures the first calls of one layer, by the policy that SPIO_POLICY names.
int run_first(std::string const& pack, std::string const& words) {
    auto const start = clock_type::now();
    auto const gpu = opened(pack, policy_of_environment());
    stream const stream(gpu.target_device());
    array<half> const some(gpu.target_device(), 1 << 20);
    stream.synchronize();
    std::printf("first: the context came after %.0f us\n", microseconds_since(start));
    first_call<convolution>(gpu, stream, layer_of(words, direction::fprop));
    first_call<convolution>(gpu, stream, layer_of(words, direction::dgrad));
    first_call<weight_gradient>(gpu, stream, layer_of(words, direction::wgrad));
    auto const count = gpu.count_tiers();
    std::printf("first: begun %zu, kept %zu, compiled %zu, taken %zu, failed %zu\n",
                static_cast<std::size_t>(count.begun), static_cast<std::size_t>(count.unchanged),
                static_cast<std::size_t>(count.compiled), static_cast<std::size_t>(count.taken),
                static_cast<std::size_t>(count.failed));
    return 0;
}

// Compares results of the generic kernels for random layers with sums in double.
int run_random(std::string const& pack, std::size_t count, unsigned seed) {
    auto const gpu = opened(pack, policy::aot_only);
    guarded<half>::use(gpu.target_device());
    guarded<float>::use(gpu.target_device());
    stream const stream(gpu.target_device());
    int failed = 0;
    for (auto const pass : passes) {
        tally tally;
        for (std::size_t n = 0; n < count; ++n) {
            std::mt19937 random(1000 * seed + 10 * static_cast<unsigned>(n) +
                                static_cast<unsigned>(pass));
            auto const uniform = [&](int least, int most) {
                return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
            };
            problem layer = {.n = uniform(1, 4), .c = 8 * uniform(1, 14), .h = 1, .w = 1};
            layer.pass = pass;
            layer.r = layer.s = 2 * uniform(0, 3) + 1;
            layer.pad_h = uniform(0, layer.r + 1);
            layer.pad_w = uniform(0, layer.s + 1);
            layer.h = std::max(1, layer.r - 2 * layer.pad_h) + uniform(0, 20);
            layer.w = std::max(1, layer.s - 2 * layer.pad_w) + uniform(0, n % 4 == 0 ? 80 : 24);
            auto const generic = generic_problem(layer);
            auto const wrong = tally.wrong;
            for (auto const& config : generic_configs(generic, gpu.arch())) {
                if (pass == direction::wgrad) {
                    run_gradient<float, half>(gpu, stream, random, generic, config, /*repeats=*/2,
                                              tally);
                } else {
                    run_correlation<half>(gpu, stream, random, generic, config, /*repeats=*/2,
                                          tally);
                }
            }
            ++tally.problems;
            if (tally.wrong > wrong) std::printf("FAIL conv2d %s\n", text_of(generic).c_str());
        }
        std::printf(
            "random: %s: %zu layers, %zu numbers, %zu wrong, the worst at %.3f of its bound\n",
            enumerator_name(pass).c_str(), tally.problems, tally.numbers, tally.wrong, tally.worst);
        std::fflush(stdout);
        failed |= tally.wrong > 0;
    }
    return failed;
}

// Microseconds of a launch over arrays that have left the L2 cache, by graphs of many launches.
template <class Kernel>
double time_of(runtime const& gpu, stream const& stream, Kernel const& kernel,
               problem const& layer) {
    std::size_t workspace_floats = 0;
    if constexpr (requires { kernel.workspace_floats(); }) {
        workspace_floats = kernel.workspace_floats();
    }
    // Sets of arrays take turns: 400 MB are a multiple of any L2 cache.
    auto const bytes = 2 * (size_of_x(layer) + size_of_y(layer));
    auto const sets = static_cast<std::size_t>(std::clamp(400'000'000 / bytes, 2LL, 64LL));
    std::vector<work_set> work;
    for (std::size_t n = 0; n < sets; ++n) {
        work.emplace_back(gpu.target_device(), layer, workspace_floats);
    }
    auto const graph = stream.capture([&] {
        for (auto const& set : work) set.launch(kernel, stream);
    });
    double best = 1e9;
    for (int round = 0; round < 8; ++round) {
        stream.launch(graph);
        stream.synchronize();
        auto const start = clock_type::now();
        constexpr int launches = 5;
        for (int n = 0; n < launches; ++n) stream.launch(graph);
        stream.synchronize();
        best = std::min(best, microseconds_since(start) / (launches * static_cast<double>(sets)));
    }
    return best;
}

// Prints the times of the generic kernel and of the specialized one.
template <class Kernel>
void compare(runtime const& gpu, stream const& stream, problem const& layer) {
    auto const generic = generic_problem(layer);
    auto const config = generic_configs(generic, gpu.arch()).front();
    auto const best = best_config(layer, gpu.arch());
    double const specialized = time_of(gpu, stream, Kernel(gpu, layer, best), layer);
    // The problem as a caller has it begins with the generic kernel, and keeps it here.
    double const general = time_of(gpu, stream, Kernel(gpu, layer), layer);
    std::printf(
        "times: %s: generic %.2f us, specialized %.2f us, %.3f; estimated %.2f and %.2f; %s; "
        "%s\n",
        text_of(layer).c_str(), general, specialized, general / specialized,
        explain(generic, config, gpu.arch()).microseconds,
        explain(layer, best, gpu.arch()).microseconds, config_text(config).c_str(),
        config_text(best).c_str());
    std::fflush(stdout);
}

// Compiles the kernels of each layer alone, in many threads, and measures them.
int run_times(std::string const& pack, std::vector<std::string> const& layers) {
    runtime const gpu(
        {.policy = policy::generic_then_jit, .generic_images = pack_of(pack), .tier_up = false});
    stream const stream(gpu.target_device());
    {
        std::vector<std::jthread> threads;
        for (auto const& words : layers) {
            for (auto const pass : passes) {
                threads.emplace_back([&, words, pass] {
                    auto const layer = layer_of(words, pass);
                    gpu.prepare(specs_of(layer, best_config(layer, gpu.arch()), gpu.arch()),
                                policy::jit_only);
                });
            }
        }
    }
    for (auto const& words : layers) {
        compare<convolution>(gpu, stream, layer_of(words, direction::fprop));
        compare<convolution>(gpu, stream, layer_of(words, direction::dgrad));
        compare<weight_gradient>(gpu, stream, layer_of(words, direction::wgrad));
    }
    auto const count = gpu.count_tiers();
    std::printf("times: %zu problems began with a generic kernel\n",
                static_cast<std::size_t>(count.begun));
    return 0;
}

} // namespace

int main(int count, char** words) try {
    std::vector<std::string> const arguments(words + 1, words + count);
    if (arguments.size() < 3) {
        std::printf("generic_on_gpu first|random|times PACK PROBLEM|COUNT...\n");
        return 2;
    }
    if (arguments[0] == "first") return run_first(arguments[1], arguments[2]);
    if (arguments[0] == "random") {
        auto const seed = arguments.size() > 3 ? std::stoul(arguments[3]) : 1;
        return run_random(arguments[1], std::stoul(arguments[2]), static_cast<unsigned>(seed));
    }
    return run_times(arguments[1], {arguments.begin() + 2, arguments.end()});
} catch (std::exception const& error) {
    std::printf("%s\n", error.what());
    return 1;
}
