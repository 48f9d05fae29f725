// One specification from every compiler, on a GPU and on the host: the same bits, however launched.
// SPDX-License-Identifier: Apache-2.0
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

void expect(bool is_so, std::string const& what) {
    if (is_so) return;
    std::printf("FAIL %s\n", what.c_str());
    ++failures;
}
std::string said_by(std::function<void()> const& f) {
    try {
        f();
    } catch (std::exception const& e) {
        return e.what();
    }
    return "nothing";
}

using test::folder;

// Each source alone, so that none can take another's place.
std::map<std::string, std::unique_ptr<runtime>> all_sources(std::string const& packs,
                                                            std::string const& kept) {
    cache::options cache;
    cache.folder = kept;
    std::map<std::string, std::unique_ptr<runtime>> all;
    for (auto const* name : {"nvcc", "clang", "ptx"}) {
        all[name] = std::make_unique<runtime>(
            runtime_options{.packs = {aot::pack::read(packs + "/" + name + ".spiopack")},
                            .policy = policy::aot_only,
                            .cache = cache});
    }
    all["nvrtc"] =
        std::make_unique<runtime>(runtime_options{.policy = policy::jit_only, .cache = cache});
    all["host"] = std::make_unique<runtime>(runtime_options{
        .host = host_machine{host::allocate, host::release, host::encode, host::find},
        .always_on_host = true,
        .policy = policy::aot_only,
        .cache = cache});
    return all;
}

void agree(std::map<std::string, std::unique_ptr<runtime>> const& all) {
    int compared = 0, different = 0;
    auto const compare = [&](std::string const& what, auto const& run) {
        auto const expected = run(*all.at("host"));
        for (auto const& [name, r] : all) {
            auto const got = run(*r);
            bool const is_same =
                got.size() == expected.size() &&
                std::memcmp(got.data(), expected.data(), got.size() * sizeof got[0]) == 0;
            expect(is_same, what + " by " + name + " is not what the host makes of it");
            ++compared;
            different += !is_same;
        }
    };
    for (int const n : {0, 1, 5, 1000, 4097, 100'003}) {
        for (int const as_if : {1000, 10'000'000}) {
            compare("axpby of " + std::to_string(n), [&](runtime const& r) {
                return axpby_on(r, axpby::specialize({.n = as_if}, r.arch()), n);
            });
        }
    }
    for (auto const& problem : {layernorm_2d::problem{64}, {120, false}, {256}, {1280}, {2048}}) {
        for (int const positions : {0, 1, 37, 1000}) {
            compare("LayerNorm of " + std::to_string(positions) + " x " +
                        std::to_string(problem.channels),
                    [&](runtime const& r) { return layernorm_on(r, problem, positions); });
        }
    }
    std::printf("{\"name\": \"agree\", \"sources\": %zu, \"compared\": %d, \"different\": %d}\n",
                all.size(), compared, different);
}

void captures(runtime const& gpu, cuda::driver const& driver) {
    auto const warm = axpby::specialize({.n = 1000}, gpu.arch());
    auto const cold = axpby::specialize({.n = 1000}, {.threads = 64, .vectors = 3}, gpu.arch());
    spec const first[] = {warm};
    gpu.prepare(first);
    stream const one(gpu.on());
    auto const x = put<float>(one, gpu.on(), floats(1000, 1)),
               y = put<float>(one, gpu.on(), floats(1000));
    auto const all = [&](auto const& in) { return in.template as<axpby::scalars>(axpby::N(1000)); };
    axpby::params const p = {.a = 2, .x = all(x), .b = 1, .y = all(y)};
    auto const kernel = gpu.load(warm);
    auto const sum = [&](stream const& in) {
        floats sums(y.size());
        in.read(std::span(sums), y);
        in.synchronize();
        bool const is_even =
            std::all_of(sums.begin(), sums.begin() + 1000, [&](float f) { return f == sums[0]; });
        return is_even && sums[1000] == 0 ? sums[0] : -1;
    };
    std::string told;
    auto const twice = one.capture([&] {
        one.launch(kernel, p);
        told = said_by([&] { one.launch(gpu.load(cold, one), p); });
        one.launch(kernel, p);
    });
    expect(told.find("a graph is being captured") != told.npos, "a cold kernel is told: " + told);
    expect(sum(one) == 0, "what is captured is not done");
    for (int i = 0; i < 3; ++i) one.launch(twice);
    expect(sum(one) == 12, "a graph of two launches, three times");
    one.launch(gpu.load(cold, one), p);
    expect(sum(one) == 14, "the cold kernel after the capture");

    // Someone else's stream and someone else's capture: only the stream tells.
    cuda::context const theirs(driver.device(0));
    cuda::stream const of_theirs(theirs);
    stream const borrowed(gpu.on(), cuda::stream_ref(of_theirs).handle());
    borrowed.launch(kernel, p);
    expect(sum(borrowed) == 16, "a launch in a borrowed stream");
    cuda::begin_capture(of_theirs);
    auto const colder = axpby::specialize({.n = 1000}, {.threads = 96, .vectors = 3}, gpu.arch());
    told = said_by([&] { borrowed.launch(gpu.load(colder, borrowed), p); });
    expect(told.find("a graph is being captured") != told.npos, "in their capture: " + told);
    borrowed.launch(kernel, p);
    cuda::executable_graph const graph(cuda::end_capture(of_theirs));
    graph.launch(of_theirs);
    expect(sum(borrowed) == 18, "their graph, not disturbed");
    stream const legacy(gpu.on(), reinterpret_cast<void*>(1));
    legacy.launch(kernel, p);
    expect(sum(legacy) == 20, "the legacy stream");
    std::printf("{\"name\": \"captures\", \"cold_kernel\": \"%s\"}\n", told.c_str());
}

void crowd(runtime const& gpu) {
    std::atomic<int> wrong = 0, launches = 0;
    std::vector<std::jthread> all;
    for (int who = 0; who < 16; ++who) {
        all.emplace_back([&, who] {
            for (int round = 0; round < 25; ++round) {
                int const n = 1000 + 37 * who + round;
                auto const of = axpby::specialize(
                    {.n = n}, {.threads = 32 * (1 + (who + round) % 8), .vectors = 2}, gpu.arch());
                auto const got = axpby_on(gpu, of, n);
                auto const size = static_cast<std::size_t>(n);
                auto const expected =
                    axpby::reference(1.7f, random_floats(size, 1), -0.3f, random_floats(size, 2));
                for (std::size_t i = 0; i < size; ++i) {
                    wrong += std::abs(got[i] - expected[i]) > 1e-6;
                }
                ++launches;
            }
        });
    }
    all.clear();
    auto const count = gpu.all_images().count();
    expect(wrong == 0, "16 threads");
    expect(launches == 16 * 25, "threads that did not come through");
    // Eight configurations, whoever asks first.
    expect(count.compiled + count.disk >= 8, "kernels from nowhere");
    std::printf("{\"name\": \"threads\", \"threads\": 16, \"launches\": %d, \"wrong\": %d, "
                "\"compiled\": %llu}\n",
                launches.load(), wrong.load(), static_cast<unsigned long long>(count.compiled));
}

void misses(runtime const& strict) {
    auto const told = said_by([&] { strict.load(layernorm_2d::specialize({72}, strict.arch())); });
    expect(told.ends_with("is: layernorm_2d channels=72 affine=true"), "a miss: " + told);
    setenv("SPIO_NVRTC", "/nowhere/libnvrtc.so", 1);
    folder const kept;
    cache::options cache;
    cache.folder = kept.path;
    runtime const without({.policy = policy::aot_then_jit, .cache = cache});
    auto const no_nvrtc =
        said_by([&] { without.load(layernorm_2d::specialize({72}, without.arch())); });
    expect(no_nvrtc.find("/nowhere/libnvrtc.so") != no_nvrtc.npos, "no NVRTC: " + no_nvrtc);
    unsetenv("SPIO_NVRTC");
    std::printf("{\"name\": \"misses\", \"aot_only\": \"%s\", \"no_nvrtc\": \"%s\"}\n",
                told.c_str(), no_nvrtc.substr(0, no_nvrtc.find('\n')).c_str());
}

void rounds(runtime const& shipped, cuda::driver const& driver) {
    cuda::context const context(driver.device(0));
    auto const of = axpby::specialize({.n = 1000}, shipped.arch());
    stream const own(shipped.on());
    auto const x = put<float>(own, shipped.on(), floats(1000, 1));
    auto const all = [&](auto const& in) { return in.template as<axpby::scalars>(axpby::N(1000)); };
    auto const image = shipped.all_images().find(of);
    constexpr int most = 100'000, warm_up = 1000;
    auto const start = std::chrono::steady_clock::now();
    std::chrono::duration<double> spent{};
    std::size_t before = 0;
    int round = 0;
    for (; round < most + warm_up && spent.count() < 40; ++round) {
        if (round == warm_up) before = cuda::context_ref(context).memory().free;
        kernels const fresh(shipped.on());
        own.launch(fresh.load(image), {.a = 1, .x = all(x), .b = 0, .y = all(x)});
        own.synchronize();
        spent = std::chrono::steady_clock::now() - start;
    }
    auto const after = cuda::context_ref(context).memory().free;
    auto const grown = static_cast<long long>(before) - static_cast<long long>(after);
    expect(round > 2 * warm_up, "too few rounds to tell: " + std::to_string(round));
    expect(grown <= 0, "rounds leave memory behind");
    std::printf(
        "{\"name\": \"rounds\", \"rounds\": %d, \"bytes_grown\": %lld, \"seconds\": %.1f}\n",
        round - warm_up, grown, spent.count());
}

void go(std::string const& packs) {
    folder const kept;
    cuda::driver const driver;
    auto const gpu = driver.device(0);
    std::printf(
        "{\"name\": \"machine\", \"gpu\": \"%s\", \"cuda_of_driver\": %d, \"devices\": %d}\n",
        gpu.name().c_str(), driver.version(), driver.device_count());
    auto const all = all_sources(packs, kept.path);
    agree(all);
    captures(*all.at("nvrtc"), driver);
    crowd(*all.at("nvrtc"));
    misses(*all.at("nvcc"));
    rounds(*all.at("nvcc"), driver);
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
        expect(false, e.what());
    }
    std::printf("{\"name\": \"end\", \"failures\": %d}\n", failures);
    return failures == 0 ? 0 : 1;
}
