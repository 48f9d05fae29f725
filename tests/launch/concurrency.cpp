// Many threads on two devices ask for the same kernels at once; it is also built with TSan.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. The fake
// driver stands for CUDA's: it keeps memory and kernels in plain objects, and can fail any call;
// expect({}) asks for no failure. A policy says whether images come from packs (files of them),
// from a compiler at run time, or both. axpby is y = a x + b y. fake::the_machine() has the state
// of the fake driver. A typed_spec is a spec with the type of its parameters.
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

constexpr int thread_count = 16, rounds = 8, sizes = 4;

// The specialization of the configuration with this number: each number gives another kernel.
typed_spec<axpby::params> spec_number(int number, arch arch) {
    return axpby::specialize({.n = 1000}, {.threads = 32 * (number + 1), .vectors = 1}, arch);
}

// The work of one thread: it launches the kernels on both devices, directly and in a graph, and
// counts wrong sums.
int wrong_sums(std::array<std::unique_ptr<runtime>, 2> const& gpus, int thread) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        auto const& gpu = *gpus[static_cast<std::size_t>(thread + round) % 2];
        auto const spec = spec_number((thread + round / 2) % sizes, gpu.arch());
        stream const stream(gpu.target_device());
        array<float> const x(gpu.target_device(), 1), y(gpu.target_device(), 1);
        std::vector<float> const x_values = {static_cast<float>(thread)}, y_values = {1};
        stream.write(x, x_values);
        stream.write(y, y_values);
        auto const kernel = gpu.load(spec, stream);
        auto const scalar_view = [](array<float> const& values) {
            return values.as<axpby::scalars>(axpby::N(1));
        };
        axpby::params const p = {.a = 2, .x = scalar_view(x), .b = 1, .y = scalar_view(y)};
        stream.launch(kernel, p);
        stream.launch(stream.capture([&] { stream.launch(kernel, p); }));
        std::vector<float> sum(1);
        stream.read(std::span(sum), y);
        stream.synchronize();
        wrong += sum[0] != 1 + 4 * static_cast<float>(thread); // 1 + 2 x + 2 x
    }
    return wrong;
}

} // namespace

TEST_CASE("16 threads on two devices compile and load each kernel once") {
    auto& machine = fake::the_machine();
    machine.expect({});
    fake::compilations = 0;
    test::folder const folder;
    std::atomic<int> wrong = 0;
    {
        cuda::driver const driver(fake::find);
        jit::nvrtc const compiler(fake::nvrtc, "fake");
        std::array<std::unique_ptr<runtime>, 2> gpus;
        for (int gpu = 0; gpu < 2; ++gpu) {
            cache::options options;
            options.folder = folder.path;
            gpus[static_cast<std::size_t>(gpu)] =
                std::make_unique<runtime>(runtime_options{.gpu = gpu,
                                                          .policy = policy::aot_then_jit,
                                                          .cache = options,
                                                          .driver = &driver,
                                                          .compiler = &compiler});
        }
        std::latch start(thread_count);
        std::vector<std::jthread> workers;
        for (int thread = 0; thread < thread_count; ++thread) {
            workers.emplace_back([&, thread] {
                start.arrive_and_wait();
                wrong += wrong_sums(gpus, thread);
            });
        }
        workers.clear();
        for (auto const& gpu : gpus) CHECK(gpu->all_kernels().loaded() == sizes);
        auto const first = gpus[0]->all_images().count(), second = gpus[1]->all_images().count();
        // Both runtimes use the same cache folder: what one compiles, the other finds on disk.
        CHECK(first.compiled + second.compiled == sizes);
        CHECK(first.disk + second.disk == sizes);
        CHECK(fake::compilations == sizes);
    }
    CHECK(wrong == 0);
    CHECK(machine.objects.empty());
    std::cout << "summary: launch.concurrency: " << thread_count << " threads, "
              << thread_count * rounds * 2 << " launches on 2 devices, " << fake::compilations
              << " compilations of " << sizes << " kernels, " << wrong << " wrong\n";
}
