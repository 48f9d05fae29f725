// The lines of the log, whole and in their order: where images come from, and what launches choose.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; an image is a compiled kernel, a pack a file of them. A
// kernel that is compiled behind launches is offered to them, and takes over. The fakes of CUDA's
// driver and of NVRTC, its compiler, make no code. The test launch.log_lines runs these cases with
// SPIO_LOG=1; without it, and in launch.log_off, nothing is written. A typed_spec is a spec with
// the type of its parameters.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <regex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.fake_driver;
import spio.fake_images;
import spio.fake_nvrtc;
import spio.host;
import spio.image;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.tuned;

using namespace spio;

namespace {

using lines = std::vector<std::string>;
using axpby_kernel = kernel<axpby::params>;

// The lines of the log that are expected; none if it is off.
std::string logged(lines const& expected) {
    char const* const value = std::getenv("SPIO_LOG");
    std::string text;
    if (value == nullptr || std::string_view(value) != "1") return text;
    for (auto const& line : expected) text += line + "\n";
    return text;
}

// What a task writes to stderr, in lines. Milliseconds are 'MS'; no more than it took.
template <class F> std::string written_by(F task) {
    test::folder const folder;
    auto const name = folder / "log";
    int const terminal = dup(STDERR_FILENO);
    int const file = open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(dup2(file, STDERR_FILENO) >= 0);
    auto const start = std::chrono::steady_clock::now();
    try {
        task();
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "thrown: %s\n", failure.what());
    }
    std::chrono::duration<double, std::milli> const duration =
        std::chrono::steady_clock::now() - start;
    dup2(terminal, STDERR_FILENO);
    close(terminal), close(file);
    std::string found;
    std::ifstream input(name);
    std::regex const milliseconds(", ([0-9]+[.][0-9]{3}) ms$");
    for (std::string line; std::getline(input, line);) {
        if (std::smatch match; std::regex_search(line, match, milliseconds)) {
            CHECK(std::stod(match[1]) <= duration.count() + 0.001);
            line.replace(line.rfind(match[1]), match[1].length(), "MS");
        }
        found += line + "\n";
    }
    return found;
}

// A candidate: each number has other blocks of threads, and an image that the fake driver loads.
typed_spec<axpby::params> spec_number(int number) {
    return axpby::specialize({.n = 1000}, {.threads = 32 * number, .vectors = 1}, sm_90a);
}
image image_number(int number) {
    auto const spec = spec_number(number);
    std::string const text = "\177ELF" + spec.symbol + " " + '\0';
    return image_of_bytes(spec, image_kind::cubin, std::as_bytes(std::span(text)), "a test");
}

} // namespace

TEST_CASE("the log tells where each image comes from, and how long that took") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    test::folder const folder;
    auto const spec = axpby::specialize({.n = 1000}, sm_90a);
    auto const other = axpby::specialize({.n = 10'000'000}, sm_90a);
    auto changed = spec;
    changed.source += "// of another text\n";
    auto const fresh = fake::pack_bytes({spec}), stale = fake::pack_bytes({changed});
    auto const options = [&](std::vector<aot::pack> packs) {
        cache::options cache;
        cache.folder = folder / "cache";
        return runtime_options{.packs = std::move(packs),
                               .policy = policy::aot_then_jit,
                               .cache = cache,
                               .driver = &driver,
                               .compiler = &compiler};
    };
    // An image is told with what made it.
    auto const line = [](char const* event, auto const& spec, std::string const& maker = "") {
        auto subject = spec.spelled();
        if (!maker.empty()) subject.insert(subject.size() - 1, ", from " + maker);
        return std::string("spio: ") + event + " " + subject + ", MS ms";
    };
    char const* const nvrtc = "NVRTC 13.0";
    {
        runtime const gpu(options({aot::pack(stale, "old", /*keeper=*/{})}));
        std::string const reason =
            "spio: stale: " + aot::pack(stale, "old", /*keeper=*/{}).why_not(spec);
        CHECK(written_by([&] {
                  gpu.load(spec);
                  gpu.load(spec); // of which nothing is told: it is loaded
                  gpu.all_images().find(spec);
                  gpu.all_images().find(spec, policy::jit_only);
                  gpu.load(other, policy::jit_only);
              }) == logged({reason, line("compiled", spec, nvrtc), line("loaded", spec, nvrtc),
                            reason, line("memory", spec, nvrtc), line("memory", spec, nvrtc),
                            line("compiled", other, nvrtc), line("loaded", other, nvrtc)}));
        auto const third = spec_number(5);
        CHECK(written_by([&] {
                  CHECK_THROWS_AS(gpu.load(third, policy::aot_only), spio::error);
              }) == logged({line("missed", third)}));
    }
    auto const cache_name = "the cache in " + folder / "cache";
    runtime const later(options({}));
    CHECK(written_by([&] { later.load(spec); }) ==
          logged({line("disk", spec, cache_name), line("loaded", spec, cache_name)}));
    runtime const shipped(options({aot::pack(fresh, "new", /*keeper=*/{})}));
    CHECK(written_by([&] { shipped.load(spec); }) ==
          logged({line("shipped", spec, "pack new"), line("loaded", spec, "pack new")}));
}

TEST_CASE("the log tells why the host takes the place of a GPU") {
    constexpr host_machine the_host = {host::allocate, host::release, host::encode, host::find};
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    test::folder const folder;
    // Choices that were measured on a GPU, which are of no use without it.
    auto const file = folder / "tuned.txt";
    tuned::add(file, {{{driver.device(0).name(), "sm_90a", "axpby n=1"},
                       {.config = "threads=96 vectors=1",
                        .microseconds = 1,
                        .kernel_text = tuned::digest_of_kernels()}}});
    auto const options = [&] {
        return runtime_options{
            .packs = {}, .host = the_host, .tuned_file = file, .driver = &driver};
    };
    machine.counted = 0;
    CHECK(written_by([&] {
              runtime const host(options());
              CHECK(host.arch() == host_arch);
              CHECK(!host.configs().find({"axpby", "n=1", sm_90a}));
          }) == logged({"spio: no GPU: the driver has none"}));
    machine.counted = fake::machine::devices;
    machine.expect({.call = 0, .code = 100}); // CUDA_ERROR_NO_DEVICE
    auto const found = written_by([&] { CHECK(runtime(options()).arch() == host_arch); });
    machine.expect({});
    CHECK(
        found ==
        logged({"spio: no GPU: cuDeviceGetCount for this machine: CUDA_ERROR_OF_THE_FAKE: words of "
                "the fake"}));
    CHECK(written_by([&] {
              runtime const gpu(options());
              CHECK(gpu.arch() == sm_90a);
              CHECK(gpu.configs().find({"axpby", "n=1", sm_90a}));
          }).empty());
}

TEST_CASE("the log tells which kernels take over, which is the fastest, and why one is not") {
    auto& machine = fake::the_machine();
    machine.expect({});
    machine.are_events_late = false;
    machine.milliseconds_of_kernel = [](std::string const& name) {
        return name == spec_number(3).symbol ? 1.2345 : name == spec_number(2).symbol ? 2 : 4;
    };
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    no_source none;
    spio::images const images(none, none, policy::aot_only);
    spio::kernels const kernels(gpu);
    config_source const configs;
    tiers const tiers(images, kernels, configs, /*options=*/{});
    stream const queue(gpu);
    auto const load = [&](image const& image) {
        return kernels.load(typed_image<axpby::params>{image, spec_number(1).grid});
    };
    // Launches begin with kernel 1, and are offered others; what was the fastest is kept.
    auto const try_all = [&](std::vector<int> const& numbers, std::string const& refusal) {
        return written_by([&] {
            tiered<axpby_kernel> const value(load(image_number(1)));
            tiers.begin("a problem");
            value.improve<image>(
                tiers, "a problem",
                [&] {
                    if (numbers.empty()) throw std::runtime_error("no compiler");
                    std::vector<image> found;
                    for (int const number : numbers) {
                        found.push_back(image_number(number));
                        if (number == 4) found.back().params_bytes = 1; // it cannot be loaded
                    }
                    return found;
                },
                load,
                [&](image const&, double) {
                    if (!refusal.empty()) throw std::runtime_error(refusal);
                });
            tiers.wait();
            for (std::size_t i = 0; i < 2 * timed_choice::rounds + 2; ++i) {
                value.launch(queue, /*is_comparable=*/true, [&](axpby_kernel const& ready) {
                    queue.launch(ready, launch_shape{.grid = {1}, .shape = spec_number(1).shape},
                                 axpby::params());
                });
            }
            tiers.wait();
        });
    };
    for (int number = 1; number <= 3; ++number) load(image_number(number)); // with its own line
    auto const generic = "spio: generic a problem", taken = "spio: took over: a problem";
    CHECK(try_all({2}, "") == logged({generic, taken}));
    auto const fastest = "spio: fastest of 2: a problem, number 2 by expectation, 1234.50 us; the "
                         "first took 2000.00 us";
    CHECK(try_all({2, 3}, "") == logged({generic, taken, fastest}));
    CHECK(try_all({2, 3}, "the disk is full") ==
          logged({generic, taken, fastest, "spio: not kept: a problem: the disk is full"}));
    CHECK(try_all({3, 2}, "") ==
          logged({generic, taken,
                  "spio: fastest of 2: a problem, number 1 by expectation, 1234.50 us; the first "
                  "took 1234.50 us"}));
    CHECK(try_all(/*numbers=*/{}, "") ==
          logged({generic, "spio: not improved: a problem: no compiler"}));
    CHECK(try_all({4, 3}, "") ==
          logged({generic,
                  "spio: not improved: a problem: load for kernel " + image_number(4).spelled() +
                      ": it takes parameters of 1 bytes, not of " +
                      std::to_string(sizeof(axpby::params)),
                  taken}));
    tiers.wait();
    machine.milliseconds_of_kernel = nullptr;
}
