// Times a launch on the host: by Spio, and by the driver's function alone.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from, an image a compiled kernel. A policy says whether
// images come from packs or from a compiler at run time.
//
//     bench_overhead PACK
//
// PACK is a file of compiled kernels that has axpby for n=1000. Its kernel is launched on empty
// vectors, so that the GPU has nothing to do.
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

// Nanoseconds for each call; 500 calls do not fill the queue of the stream.
template <class F> double nanoseconds_of(stream const& stream, F const& f) {
    constexpr int count = 500;
    stream.synchronize();
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) f();
    std::chrono::duration<double, std::nano> const spent = std::chrono::steady_clock::now() - start;
    stream.synchronize();
    return spent.count() / count;
}

// The greater of the two in the middle, if there are two.
double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<long>(values.size() / 2));
    return values[values.size() / 2];
}

// Times the same launch by a call of the driver, by a stream, and with the kernel found anew each
// time.
void go(char const* pack) {
    cuda::driver const driver;
    runtime const gpu(
        {.packs = {aot::pack::read(pack)}, .policy = policy::aot_only, .driver = &driver});
    auto const spec = axpby::specialize({.n = 1000}, gpu.arch());
    auto const kernel = gpu.load(spec);
    cuda::context const context(driver.device(0));
    cuda::stream const driver_stream(context);
    auto const handle = cuda::stream_ref(driver_stream).handle();
    stream const stream(gpu.target_device(), handle);
    array<float> const x(gpu.target_device(), 8);
    auto const none = x.as<axpby::scalars>(axpby::N(0));
    axpby::params p = {.a = 1, .x = none, .b = 0, .y = none};

    // The same launch by a direct call of cuLaunchKernelEx.
    auto const image = gpu.all_images().find(spec);
    cuda::library const library(driver, image.bytes, "axpby");
    auto const function = library.kernel(spec.symbol).load(context);
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

    std::vector<double> driver_times, spio_times, load_times;
    for (int round = 0; round < 200; ++round) {
        driver_times.push_back(nanoseconds_of(stream, [&] {
            driver.ask<"cuLaunchKernelEx">(&bare, function.handle(), parameters, /*extra=*/nullptr);
        }));
        spio_times.push_back(nanoseconds_of(stream, [&] { stream.launch(kernel, p); }));
        load_times.push_back(nanoseconds_of(stream, [&] { stream.launch(gpu.load(spec), p); }));
    }
    std::printf("{\"name\": \"launch\", \"driver_ns\": %.0f, \"ours_ns\": %.0f, "
                "\"with_load_ns\": %.0f, \"driver_least_ns\": %.0f, \"ours_least_ns\": %.0f}\n",
                median(driver_times), median(spio_times), median(load_times),
                *std::ranges::min_element(driver_times), *std::ranges::min_element(spio_times));
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
