// Kernels of every compiler give the same bits on a GPU and on the host, however they are launched.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; a pack is a file of compiled kernels. The host device
// simulates a GPU on the CPU. A policy says whether images come from packs (files of them), from a
// compiler at run time, or both.
//
//     launcher_on_gpu FOLDER      with the packs nvcc, clang and ptx of launcher.manifest
#include "tests/folder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.host;
import spio.image;
import spio.jit;
import spio.launch;
import spio.layernorm_2d;
import spio.runtime;
import spio.spec;
import launcher_work;

using namespace spio;
using namespace work;

namespace {

int failures = 0;
constexpr int without_gpu = 77; // a test that ends so was skipped

// Counts and prints what is wrong.
void expect(bool is_right, std::string const& title) {
    if (is_right) return;
    std::printf("FAIL %s\n", title.c_str());
    ++failures;
}
// The error that f throws, or "nothing".
std::string message_of(std::function<void()> const& f) {
    try {
        f();
    } catch (std::exception const& e) {
        return e.what();
    }
    return "nothing";
}

using test::folder;

// A runtime for each source of compiled kernels, so that no source can replace another.
std::map<std::string, std::unique_ptr<runtime>> all_sources(std::string const& packs,
                                                            std::string const& cache_folder) {
    cache::options cache;
    cache.folder = cache_folder;
    std::map<std::string, std::unique_ptr<runtime>> runtimes;
    for (auto const* name : {"nvcc", "clang", "ptx"}) {
        runtimes[name] = std::make_unique<runtime>(
            runtime_options{.packs = {aot::pack::read(packs + "/" + name + ".spiopack")},
                            .policy = policy::aot_only,
                            .cache = cache});
    }
    runtimes["nvrtc"] =
        std::make_unique<runtime>(runtime_options{.policy = policy::jit_only, .cache = cache});
    runtimes["host"] = std::make_unique<runtime>(runtime_options{
        .host = host_machine{host::allocate, host::release, host::encode, host::find},
        .always_on_host = true,
        .policy = policy::aot_only,
        .cache = cache});
    return runtimes;
}

// Compares results that kernels of each source give, all the same bits: each runtime, by its name,
// takes its kernels from one place.
void agree(std::map<std::string, std::unique_ptr<runtime>> const& runtimes) {
    int compared = 0, different = 0;
    auto const compare = [&](std::string const& title, auto const& run) {
        auto const expected = run(*runtimes.at("host"));
        for (auto const& [name, r] : runtimes) {
            auto const result = run(*r);
            bool const is_same =
                result.size() == expected.size() &&
                std::memcmp(result.data(), expected.data(), result.size() * sizeof result[0]) == 0;
            expect(is_same, title + " by " + name + " differs from the host device");
            ++compared;
            different += !is_same;
        }
    };
    for (int const n : {0, 1, 5, 1000, 4097, 100'003}) {
        for (int const problem_size : {1000, 10'000'000}) {
            compare("axpby of " + std::to_string(n), [&](runtime const& r) {
                return axpby_on(r, axpby::specialize({.n = problem_size}, r.arch()), n);
            });
        }
    }
    for (auto const& problem : {layernorm_2d::problem{.channels = 64},
                                {.channels = 120, .affine = false},
                                {.channels = 256},
                                {.channels = 1280},
                                {.channels = 2048}}) {
        for (int const positions : {0, 1, 37, 1000}) {
            compare("LayerNorm of " + std::to_string(positions) + " x " +
                        std::to_string(problem.channels),
                    [&](runtime const& r) { return layernorm_on(r, problem, positions); });
        }
    }
    std::printf("{\"name\": \"agree\", \"sources\": %zu, \"compared\": %d, \"different\": %d}\n",
                runtimes.size(), compared, different);
}

// Captures launches in a graph, of a kernel that is loaded (warm) and of one that is not (cold).
void captures(runtime const& gpu, cuda::driver const& driver) {
    auto const warm = axpby::specialize({.n = 1000}, gpu.arch());
    auto const cold = axpby::specialize({.n = 1000}, {.threads = 64, .vectors = 3}, gpu.arch());
    spec const first[] = {warm};
    gpu.prepare(first);
    stream const own_stream(gpu.target_device());
    auto const x = put<float>(own_stream, gpu.target_device(), floats(1000, 1)),
               y = put<float>(own_stream, gpu.target_device(), floats(1000));
    auto const scalar_view = [&](auto const& values) {
        return values.template as<axpby::scalars>(axpby::N(1000));
    };
    axpby::params const p = {.a = 2, .x = scalar_view(x), .b = 1, .y = scalar_view(y)};
    auto const kernel = gpu.load(warm);
    auto const sum = [&](stream const& stream) {
        floats sums(y.size());
        stream.read(std::span(sums), y);
        stream.synchronize();
        bool const is_even =
            std::all_of(sums.begin(), sums.begin() + 1000, [&](float f) { return f == sums[0]; });
        return is_even && sums[1000] == 0 ? sums[0] : -1;
    };
    std::string message;
    auto const two_launches = own_stream.capture([&] {
        own_stream.launch(kernel, p);
        message = message_of([&] { own_stream.launch(gpu.load(cold, own_stream), p); });
        own_stream.launch(kernel, p);
    });
    expect(message.find("a graph is being captured") != message.npos,
           "a cold kernel is told: " + message);
    expect(sum(own_stream) == 0, "a captured launch does not run");
    for (int i = 0; i < 3; ++i) own_stream.launch(two_launches);
    expect(sum(own_stream) == 12, "a graph of two launches, three times");
    own_stream.launch(gpu.load(cold, own_stream), p);
    expect(sum(own_stream) == 14, "the cold kernel after the capture");

    // A capture that the caller began in a stream of its own is known to that stream alone.
    cuda::context const foreign_context(driver.device(0));
    cuda::stream const foreign_stream(foreign_context);
    stream const borrowed_stream(gpu.target_device(), cuda::stream_ref(foreign_stream).handle());
    borrowed_stream.launch(kernel, p);
    expect(sum(borrowed_stream) == 16, "a launch in a borrowed stream");
    cuda::begin_capture(foreign_stream);
    auto const colder = axpby::specialize({.n = 1000}, {.threads = 96, .vectors = 3}, gpu.arch());
    message = message_of([&] { borrowed_stream.launch(gpu.load(colder, borrowed_stream), p); });
    expect(message.find("a graph is being captured") != message.npos,
           "in a foreign capture: " + message);
    borrowed_stream.launch(kernel, p);
    cuda::executable_graph const graph(cuda::end_capture(foreign_stream));
    graph.launch(foreign_stream);
    expect(sum(borrowed_stream) == 18, "a foreign graph, not disturbed");
    stream const legacy(gpu.target_device(), reinterpret_cast<void*>(1)); // CU_STREAM_LEGACY
    legacy.launch(kernel, p);
    expect(sum(legacy) == 20, "the legacy stream");
    std::printf("{\"name\": \"captures\", \"cold_kernel\": \"%s\"}\n", message.c_str());
}

// Lets 16 threads compile, launch and check kernels of eight configurations at once.
void run_many_threads(runtime const& gpu) {
    std::atomic<int> wrong = 0, launches = 0;
    std::vector<std::jthread> workers;
    for (int thread = 0; thread < 16; ++thread) {
        workers.emplace_back([&, thread] {
            for (int round = 0; round < 25; ++round) {
                int const n = 1000 + 37 * thread + round;
                auto const spec = axpby::specialize(
                    {.n = n}, {.threads = 32 * (1 + (thread + round) % 8), .vectors = 2},
                    gpu.arch());
                auto const result = axpby_on(gpu, spec, n);
                auto const size = static_cast<std::size_t>(n);
                auto const expected =
                    axpby::reference(/*a=*/1.7f, random_floats(size, /*seed=*/1), /*b=*/-0.3f,
                                     random_floats(size, /*seed=*/2));
                for (std::size_t i = 0; i < size; ++i) {
                    wrong += std::abs(result[i] - expected[i]) > 1e-6;
                }
                ++launches;
            }
        });
    }
    workers.clear();
    auto const count = gpu.all_images().count();
    expect(wrong == 0, "16 threads");
    expect(launches == 16 * 25, "a thread ended early");
    // The threads use eight configurations.
    expect(count.compiled + count.disk >= 8, "fewer than eight kernels were compiled or read");
    std::printf("{\"name\": \"threads\", \"threads\": 16, \"launches\": %d, \"wrong\": %d, "
                "\"compiled\": %llu}\n",
                launches.load(), wrong.load(), static_cast<unsigned long long>(count.compiled));
}

// What the errors say of a kernel that is in no pack, and of an NVRTC that is missing.
void misses(runtime const& strict) {
    auto const message =
        message_of([&] { strict.load(layernorm_2d::specialize({.channels = 72}, strict.arch())); });
    expect(message.ends_with("is: layernorm_2d channels=72 affine=true"), "a miss: " + message);
    setenv("SPIO_NVRTC", "/nowhere/libnvrtc.so", 1);
    folder const cache_folder;
    cache::options cache;
    cache.folder = cache_folder.path;
    runtime const jit_runtime({.policy = policy::aot_then_jit, .cache = cache});
    auto const no_nvrtc = message_of(
        [&] { jit_runtime.load(layernorm_2d::specialize({.channels = 72}, jit_runtime.arch())); });
    expect(no_nvrtc.find("/nowhere/libnvrtc.so") != no_nvrtc.npos, "no NVRTC: " + no_nvrtc);
    unsetenv("SPIO_NVRTC");
    std::printf("{\"name\": \"misses\", \"aot_only\": \"%s\", \"no_nvrtc\": \"%s\"}\n",
                message.c_str(), no_nvrtc.substr(0, no_nvrtc.find('\n')).c_str());
}

// Loads and unloads a kernel thousands of times: the GPU's free memory must stay what it is.
void rounds(runtime const& shipped, cuda::driver const& driver) {
    cuda::context const context(driver.device(0));
    auto const spec = axpby::specialize({.n = 1000}, shipped.arch());
    stream const stream(shipped.target_device());
    auto const x = put<float>(stream, shipped.target_device(), floats(1000, 1));
    auto const scalar_view = [&](auto const& values) {
        return values.template as<axpby::scalars>(axpby::N(1000));
    };
    auto const image = shipped.all_images().find(spec);
    constexpr int most = 100'000, warm_up = 1000; // or as many as 40 s allow
    auto const start = std::chrono::steady_clock::now();
    std::chrono::duration<double> spent{};
    std::size_t initial_free = 0;
    int round = 0;
    for (; round < most + warm_up && spent.count() < 40; ++round) {
        if (round == warm_up) initial_free = cuda::context_ref(context).memory().free;
        kernels const fresh(shipped.target_device());
        stream.launch(fresh.load(image),
                      {.a = 1, .x = scalar_view(x), .b = 0, .y = scalar_view(x)});
        stream.synchronize();
        spent = std::chrono::steady_clock::now() - start;
    }
    auto const final_free = cuda::context_ref(context).memory().free;
    auto const growth = static_cast<long long>(initial_free) - static_cast<long long>(final_free);
    expect(round > 2 * warm_up, "too few rounds to tell: " + std::to_string(round));
    expect(growth <= 0, "rounds leave memory behind");
    std::printf(
        "{\"name\": \"rounds\", \"rounds\": %d, \"bytes_grown\": %lld, \"seconds\": %.1f}\n",
        round - warm_up, growth, spent.count());
}

// Runs all tests with the packs in this folder.
void go(std::string const& packs) {
    folder const cache_folder;
    cuda::driver const driver;
    auto const gpu = driver.device(0);
    std::printf(
        "{\"name\": \"machine\", \"gpu\": \"%s\", \"cuda_of_driver\": %d, \"devices\": %d}\n",
        gpu.name().c_str(), driver.version(), driver.device_count());
    auto const runtimes = all_sources(packs, cache_folder.path);
    agree(runtimes);
    captures(*runtimes.at("nvrtc"), driver);
    run_many_threads(*runtimes.at("nvrtc"));
    misses(*runtimes.at("nvcc"));
    rounds(*runtimes.at("nvcc"), driver);
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (cuda::driver().device_count() == 0) return std::puts("no GPU"), without_gpu;
    } catch (spio::error const& e) {
        return std::puts(e.what()), without_gpu;
    }
    if (argc != 2) return std::fprintf(stderr, "usage: launcher_on_gpu FOLDER\n"), 2;
    try {
        go(argv[1]);
    } catch (std::exception const& e) {
        expect(/*is_right=*/false, e.what());
    }
    std::printf("{\"name\": \"end\", \"failures\": %d}\n", failures);
    return failures == 0 ? 0 : 1;
}
