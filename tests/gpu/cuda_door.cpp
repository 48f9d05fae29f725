// Goes through the driver's door on a real GPU, and measures what a launch costs.
// SPDX-License-Identifier: Apache-2.0
//
//     cuda_door IMAGE
//
// The image is a cubin, a fatbin or PTX of tests/axpby/axpby.cu. Without a driver it says so and
// ends with 77.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

import spio.cuda;

using namespace spio::cuda;
using spio::launch_shape;
using spio::tensor_map_words;

namespace {

constexpr int n = 1 << 20;

struct vector {
    float* data;
    int size;
};
struct axpby {
    float a;
    vector x;
    float b;
    vector y;
};

int failures = 0;
constexpr int without_gpu = 77; // a test that ends so was skipped

void expect(bool is, char const* what) {
    std::printf("%s %s\n", is ? "ok   " : "WRONG", what);
    failures += !is;
}

template <class F> void refuses(char const* what, F f) {
    try {
        f();
        expect(false, what);
    } catch (spio::error const& e) {
        std::printf("ok    %s: %s\n", what, e.what());
    }
}

template <class F> double nanoseconds_of(stream const& stream, F f) {
    double least = 1e9;
    for (int run = 0; run < 50; ++run) {
        constexpr int count = 400;
        auto const start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) f();
        std::chrono::duration<double, std::nano> const spent =
            std::chrono::steady_clock::now() - start;
        least = std::min(least, spent.count() / count);
        stream.synchronize();
    }
    return least;
}

struct room {
    context_ref on;
    stream own{on};
    memory x{on, n * sizeof(float)}, y{on, n * sizeof(float)};
    axpby p{2,
            {reinterpret_cast<float*>(x.address()), n},
            1,
            {reinterpret_cast<float*>(y.address()), n}};
    void* parameters[1] = {&p};
    launch_shape plan{.grid = {n / 4096}, .shape = {.block = {256}}};

    void begin() {
        fill_words(own, x, 0x3f800000); // 1.f
        fill(own, y, std::byte(0));
        own.synchronize();
    }
    bool all(float sum) {
        on.synchronize();
        std::vector<float> sums(n);
        copy(own, std::as_writable_bytes(std::span(sums)), y);
        own.synchronize();
        return std::ranges::all_of(sums, [&](float f) { return f == sum; });
    }
};

void use(function_ref const& function, context const& on) {
    room here{.on = on};
    stream_ref const own = here.own;

    here.begin();
    std::jthread([&] { launch(function, here.plan, own, here.parameters); }).join();
    expect(here.all(2), "a launch from a thread without a context");
    launch(function, here.plan, stream_ref::legacy(on), here.parameters);
    expect(here.all(4), "a launch in the legacy stream");
    launch_shape together = here.plan;
    together.shape.overlaps_previous = true;
    if (on.device().capability().major >= 9) together.shape.cluster = {2};
    launch(function, together, own, here.parameters);
    expect(here.all(6), "a launch of clusters that may overlap");

    begin_capture(own);
    expect(own.capture() == abi::capture_status::active, "a capture");
    launch(function, here.plan, own, here.parameters);
    executable_graph const graph(end_capture(own));
    expect(here.all(6), "what is captured is not done");
    graph.launch(own);
    graph.launch(own);
    expect(here.all(10), "a graph twice");

    auto const foreign = stream_ref::of(on.device().driver(), own.handle());
    expect(foreign.context().handle() == context_ref(on).handle(), "a stream says its context");
    tensor_map_words const map = encode(on,
                                        {.rank = 2,
                                         .element_bytes = 4,
                                         .sizes = {1024, 1024},
                                         .strides = {4, 4096},
                                         .box = {32, 8},
                                         .swizzle = 128},
                                        here.x);
    expect(map.words[0] != 0, "a tensor map");
    refuses("a tensor map of a crooked stride", [&] {
        encode(on,
               {.rank = 2, .element_bytes = 4, .sizes = {4, 4}, .strides = {4, 20}, .box = {4, 4}},
               here.x);
    });
    refuses("a launch of no blocks",
            [&] { launch(function, {.grid = {0}}, own, here.parameters); });

    here.p.y.size = 0;
    abi::launch_config const bare{.grid_x = 1,
                                  .grid_y = 1,
                                  .grid_z = 1,
                                  .block_x = 32,
                                  .block_y = 1,
                                  .block_z = 1,
                                  .shared_bytes = 0,
                                  .stream = own.handle(),
                                  .attributes = nullptr,
                                  .attribute_count = 0};
    auto const& driver = on.device().driver();
    double const of_driver = nanoseconds_of(here.own, [&] {
        driver.ask<"cuLaunchKernelEx">(&bare, function.handle(), here.parameters, nullptr);
    });
    double const of_ours = nanoseconds_of(
        here.own, [&] { launch(function, {.shape = {.block = {32}}}, own, here.parameters); });
    std::printf("figure: gpu.cuda_door.launch: %.0f ns, the driver alone %.0f ns\n", of_ours,
                of_driver);
}

void go(driver const& driver, std::span<std::byte const> image) {
    auto const device = driver.device(0);
    auto const [major, minor] = device.capability();
    std::printf("%s, sm_%d%d, CUDA %d, %d devices\n", device.name().c_str(), major, minor,
                driver.version(), driver.device_count());
    context const on(device);
    expect(!context_ref::current(driver), "no context is current");

    library const library(driver, image, "axpby");
    refuses("a kernel that is not there", [&] { library.kernel("absent"); });
    refuses("an image that is none", [&] {
        char const text[] = "no PTX";
        spio::cuda::library(driver, std::as_bytes(std::span(text)), "none").kernel("none").load(on);
    });
    auto const kernel = library.kernel("axpby_256x4");
    expect(kernel.parameters(on) == std::vector<parameter>{{0, sizeof(axpby)}}, "its parameters");
    kernel.allow_dynamic_shared(64 << 10, device);
    auto const function = kernel.load(on);
    std::printf("%d registers, %d blocks on each multiprocessor\n",
                function.attribute(abi::function_attribute::registers),
                function.blocks_per_multiprocessor(256, 0));
    use(function, on);

    auto const before = context_ref(on).memory().free;
    for (int round = 0; round < 1000; ++round) {
        spio::cuda::library const again(driver, image, "axpby");
        again.kernel("axpby_96x1").load(on);
    }
    auto const after = context_ref(on).memory().free;
    std::printf("figure: gpu.cuda_door.rounds: 1000 loads leave %lld bytes less\n",
                static_cast<long long>(before) - static_cast<long long>(after));
    expect(!context_ref::current(driver), "no context is current in the end");
    expect(driver.losses() == 0, "nothing was lost");
}

} // namespace

int main(int argc, char** argv) {
    std::optional<driver> driver;
    try {
        driver.emplace();
    } catch (spio::error const& e) {
        std::printf("%s\n", e.what());
        return without_gpu;
    }
    if (argc != 2) return std::fprintf(stderr, "usage: cuda_door IMAGE\n"), 2;
    std::ifstream file(argv[1], std::ios::binary);
    std::string const image(std::istreambuf_iterator<char>(file), {});
    try {
        // PTX ends with the zero that a string has behind it.
        go(*driver, std::as_bytes(std::span(image.c_str(), image.size() + 1)));
    } catch (spio::error const& e) {
        expect(false, e.what());
    }
    return failures != 0;
}
