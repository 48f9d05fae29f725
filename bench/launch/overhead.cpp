// What a launch costs the host: ours and the driver's own, in turn.
// SPDX-License-Identifier: Apache-2.0
//
//     bench_overhead PACK
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.cuda;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;

namespace {

// Nanoseconds a call, while the queue is not full.
template <class F> double nanoseconds_of(stream const& in, F const& f) {
    constexpr int count = 500;
    in.synchronize();
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) f();
    std::chrono::duration<double, std::nano> const spent = std::chrono::steady_clock::now() - start;
    in.synchronize();
    return spent.count() / count;
}

double median(std::vector<double> all) {
    std::ranges::nth_element(all, all.begin() + static_cast<long>(all.size() / 2));
    return all[all.size() / 2];
}

void go(char const* pack) {
    cuda::driver const driver;
    runtime const gpu(
        {.packs = {aot::pack::read(pack)}, .policy = policy::aot_only, .driver = &driver});
    auto const of = axpby::specialize({.n = 1000}, gpu.arch());
    auto const kernel = gpu.load(of);
    cuda::context const context(driver.device(0));
    cuda::stream const own(context);
    auto const handle = cuda::stream_ref(own).handle();
    stream const ours(gpu.on(), handle);
    array<float> const x(gpu.on(), 8);
    auto const none = x.as<axpby::scalars>(axpby::N(0));
    axpby::params p = {.a = 1, .x = none, .b = 0, .y = none};

    // The same launch, by the same driver's function.
    auto const image = gpu.all_images().find(of);
    cuda::library const library(driver, image.bytes, "axpby");
    auto const function = library.kernel(of.symbol).load(context);
    cuda::abi::launch_config const bare{.grid_x = 1,
                                        .grid_y = 1,
                                        .grid_z = 1,
                                        .block_x = 256,
                                        .block_y = 1,
                                        .block_z = 1,
                                        .shared_bytes = 0,
                                        .stream = handle,
                                        .attributes = nullptr,
                                        .attribute_count = 0};
    void* parameters[] = {&p};

    std::vector<double> of_driver, of_ours, of_loads;
    for (int round = 0; round < 200; ++round) {
        of_driver.push_back(nanoseconds_of(ours, [&] {
            driver.ask<"cuLaunchKernelEx">(&bare, function.handle(), parameters, nullptr);
        }));
        of_ours.push_back(nanoseconds_of(ours, [&] { ours.launch(kernel, p); }));
        of_loads.push_back(nanoseconds_of(ours, [&] { ours.launch(gpu.load(of), p); }));
    }
    std::printf("{\"name\": \"launch\", \"driver_ns\": %.0f, \"ours_ns\": %.0f, "
                "\"with_load_ns\": %.0f, \"driver_least_ns\": %.0f, \"ours_least_ns\": %.0f}\n",
                median(of_driver), median(of_ours), median(of_loads),
                *std::ranges::min_element(of_driver), *std::ranges::min_element(of_ours));
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: bench_overhead PACK\n"), 2;
    try {
        go(argv[1]);
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
