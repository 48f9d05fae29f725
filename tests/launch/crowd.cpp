// Many threads on two devices ask for the same kernels at once; TSan watches the same program.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <iostream>
#include <latch>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;

namespace {

constexpr int threads = 16, rounds = 8, sizes = 4;

// Of so many configurations that differ.
typed_spec<axpby::params> spec_number(int number, arch arch) {
    return axpby::specialize({.n = 1000}, {.threads = 32 * (number + 1), .vectors = 1}, arch);
}

// A thread's share: each kernel on either device, directly and in a graph.
int wrong_sums(std::array<std::unique_ptr<runtime>, 2> const& gpus, int who) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        auto const& gpu = *gpus[static_cast<std::size_t>(who + round) % 2];
        auto const of = spec_number((who + round / 2) % sizes, gpu.arch());
        stream const own(gpu.on());
        array<float> const x(gpu.on(), 1), y(gpu.on(), 1);
        std::vector<float> const of_x = {static_cast<float>(who)}, of_y = {1};
        own.write(x, of_x);
        own.write(y, of_y);
        auto const kernel = gpu.load(of, own);
        auto const one = [](array<float> const& in) { return in.as<axpby::scalars>(axpby::N(1)); };
        axpby::params const p = {.a = 2, .x = one(x), .b = 1, .y = one(y)};
        own.launch(kernel, p);
        own.launch(own.capture([&] { own.launch(kernel, p); }));
        std::vector<float> sum(1);
        own.read(std::span(sum), y);
        own.synchronize();
        wrong += sum[0] != 1 + 4 * static_cast<float>(who);
    }
    return wrong;
}

} // namespace

TEST_CASE("16 threads on two devices compile and load each kernel once") {
    auto& machine = fake::the_machine();
    machine.expect({});
    fake::compilations = 0;
    test::folder const own;
    std::atomic<int> wrong = 0;
    {
        cuda::driver const driver(fake::find);
        jit::nvrtc const compiler(fake::nvrtc, "fake");
        std::array<std::unique_ptr<runtime>, 2> gpus;
        for (int gpu = 0; gpu < 2; ++gpu) {
            cache::options kept;
            kept.folder = own.path;
            gpus[static_cast<std::size_t>(gpu)] =
                std::make_unique<runtime>(runtime_options{.gpu = gpu,
                                                          .policy = policy::aot_then_jit,
                                                          .cache = kept,
                                                          .driver = &driver,
                                                          .compiler = &compiler});
        }
        std::latch start(threads);
        std::vector<std::jthread> all;
        for (int who = 0; who < threads; ++who) {
            all.emplace_back([&, who] {
                start.arrive_and_wait();
                wrong += wrong_sums(gpus, who);
            });
        }
        all.clear();
        for (auto const& gpu : gpus) CHECK(gpu->all_kernels().loaded() == sizes);
        auto const &one = gpus[0]->all_images().count(), &two = gpus[1]->all_images().count();
        CHECK(one.compiled + two.compiled == sizes);
        CHECK(one.disk + two.disk == sizes);
        // Both write one folder, and share what is in it.
        CHECK(fake::compilations == sizes);
    }
    CHECK(wrong == 0);
    CHECK(machine.objects.empty());
    std::cout << "figure: launch.crowd: " << threads << " threads, " << threads * rounds * 2
              << " launches on 2 devices, " << fake::compilations << " compilations of " << sizes
              << " kernels, " << wrong << " wrong\n";
}
