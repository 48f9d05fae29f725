// Uses spio.cuda, Spio's layer over the driver, on a real GPU.
// SPDX-License-Identifier: Apache-2.0
//
//     cuda_on_gpu IMAGE
//
// The image is a cubin, a fatbin or PTX of tests/axpby/axpby.cu. Without a driver it says so and
// ends with 77.
#include <algorithm>
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

constexpr int n = 1 << 20; // numbers in each vector

// The parameters of the kernel, which computes y = a x + b y, as it declares them.
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

// Prints a line of one check, and counts those that failed.
void expect(bool is_right, char const* title) {
    std::printf("%s %s\n", is_right ? "ok   " : "WRONG", title);
    failures += !is_right;
}

// Expects f() to throw an error.
template <class F> void refuses(char const* title, F f) {
    try {
        f();
        expect(/*is_right=*/false, title);
    } catch (spio::error const& e) {
        std::printf("ok    %s: %s\n", title, e.what());
    }
}

// What a launch of axpby takes; x is 1 everywhere, and y gets 2 more by each launch.
struct launch_setup {
    context_ref context;
    spio::cuda::stream stream{context};
    memory x{context, n * sizeof(float)}, y{context, n * sizeof(float)};
    axpby sum{2,
              {reinterpret_cast<float*>(x.address()), n},
              1,
              {reinterpret_cast<float*>(y.address()), n}};
    void* parameters[1] = {&sum};
    // A block of axpby_256x4 computes 4096 numbers: 256 threads, 4 vectors of 4 floats each.
    launch_shape plan{.grid = {n / 4096}, .shape = {.block = {256}}};

    void reset() {
        fill_words(stream, x, 0x3f800000); // 1.f
        fill(stream, y, std::byte(0));
        stream.synchronize();
    }
    // Whether every y is this number.
    bool is_sum(float expected) {
        context.synchronize();
        std::vector<float> sums(n);
        copy(stream, std::as_writable_bytes(std::span(sums)), y);
        stream.synchronize();
        return std::ranges::all_of(sums, [&](float element) { return element == expected; });
    }
};

// Launches axpby in every way, and encodes tensor maps, on one device.
void use(function_ref const& function, context const& context) {
    launch_setup setup{.context = context};
    stream_ref const stream = setup.stream;

    setup.reset();
    std::jthread([&] { launch(function, setup.plan, stream, setup.parameters); }).join();
    expect(setup.is_sum(2), "a launch from a thread without a context");
    launch(function, setup.plan, stream_ref::legacy(context), setup.parameters);
    expect(setup.is_sum(4), "a launch in the legacy stream");
    launch_shape together = setup.plan;
    together.shape.overlaps_previous = true;
    if (context.device().capability().major >= 9) together.shape.cluster = {2};
    launch(function, together, stream, setup.parameters);
    expect(setup.is_sum(6), "a launch of clusters that may overlap");

    begin_capture(stream);
    expect(stream.capture() == abi::capture_status::active, "a capture");
    launch(function, setup.plan, stream, setup.parameters);
    executable_graph const graph(end_capture(stream));
    expect(setup.is_sum(6), "a captured launch does not run");
    graph.launch(stream);
    graph.launch(stream);
    expect(setup.is_sum(10), "a graph twice");

    auto const foreign = stream_ref::of(context.device().driver(), stream.handle());
    expect(foreign.context().handle() == context_ref(context).handle(), "a stream has its context");
    tensor_map_words const map = encode(context,
                                        {.rank = 2,
                                         .element_bytes = 4,
                                         .sizes = {1024, 1024},
                                         .strides = {4, 4096},
                                         .box = {32, 8},
                                         .swizzle = 128},
                                        setup.x);
    expect(map.words[0] != 0, "a tensor map");
    refuses("a tensor map with a stride of 20 bytes", [&] {
        encode(context,
               {.rank = 2, .element_bytes = 4, .sizes = {4, 4}, .strides = {4, 20}, .box = {4, 4}},
               setup.x);
    });
    refuses("a launch of no blocks",
            [&] { launch(function, {.grid = {0}}, stream, setup.parameters); });
}

// Tests everything on the first device with this image.
void go(driver const& driver, std::span<std::byte const> image) {
    auto const device = driver.device(0);
    auto const [major, minor] = device.capability();
    std::printf("%s, sm_%d%d, CUDA %d, %d devices\n", device.name().c_str(), major, minor,
                driver.version(), driver.device_count());
    context const context(device);
    expect(!context_ref::current(driver), "no context is current");

    library const library(driver, image, "axpby");
    refuses("a kernel that the image lacks", [&] { library.kernel("absent"); });
    refuses("an image that is none", [&] {
        char const text[] = "no PTX";
        spio::cuda::library(driver, std::as_bytes(std::span(text)), "none")
            .kernel("none")
            .load(context);
    });
    auto const kernel = library.kernel("axpby_256x4");
    expect(kernel.first_parameter(context) == parameter{0, sizeof(axpby)}, "its parameter");
    kernel.allow_dynamic_shared(64 << 10, device);
    auto const function = kernel.load(context);
    std::printf("%d registers, %d blocks on each multiprocessor\n",
                function.attribute(abi::function_attribute::registers),
                function.blocks_per_multiprocessor(/*threads=*/256, /*dynamic_shared=*/0));
    use(function, context);

    auto const initial_free = context_ref(context).memory().free;
    for (int round = 0; round < 1000; ++round) {
        spio::cuda::library const reloaded(driver, image, "axpby");
        reloaded.kernel("axpby_96x1").load(context);
    }
    auto const final_free = context_ref(context).memory().free;
    std::printf("summary: gpu.cuda.rounds: 1000 loads leave %lld bytes less\n",
                static_cast<long long>(initial_free) - static_cast<long long>(final_free));
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
    if (argc != 2) return std::fprintf(stderr, "usage: cuda_on_gpu IMAGE\n"), 2;
    std::ifstream file(argv[1], std::ios::binary);
    std::string const image(std::istreambuf_iterator<char>(file), {});
    try {
        // The driver reads PTX up to a zero, which ends every std::string.
        go(*driver, std::as_bytes(std::span(image.c_str(), image.size() + 1)));
    } catch (spio::error const& e) {
        expect(/*is_right=*/false, e.what());
    }
    return failures != 0;
}
