// What spio.cuda does with a driver that works, and what its errors say.
// SPDX-License-Identifier: Apache-2.0
//
// A fault is the one call of the driver that is made to fail; an object has what is behind a
// handle. The fake driver stands for CUDA's: it keeps memory and kernels in plain objects, and can
// fail any call. fake::the_machine() has the state of the fake driver.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/cuda/fake_machine.h"

#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

import spio.cuda;
import spio.fake_driver;

using namespace spio::cuda;

using spio::test::contains;

namespace {

// The parameters of the fake driver's kernels, which compute y = a x + b y.
struct vector {
    float* data;
    int size;
};
struct addition {
    float a;
    vector x;
    float b;
    vector y;
};

// A compiled program as the fake driver reads it: the first bytes of a cubin, and a kernel's name.
std::span<std::byte const> image() {
    static char const text[] = "\177ELF"
                               "add ";
    return std::as_bytes(std::span(text));
}

// The error that f throws, or "nothing".
std::string message_of(std::function<void()> const& f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.what();
    }
    return "nothing";
}

// A GPU with one kernel, add, and the parameters of a launch that adds x, which is 1, to y.
struct adder {
    spio::cuda::driver driver{fake::find};
    spio::cuda::context context{driver.device(0)};
    spio::cuda::library library{driver, image(), "additions"};
    kernel_ref kernel = library.kernel("add");
    spio::cuda::stream stream{context};
    memory x{context, 4}, y{context, 4};
    addition p{1,
               {reinterpret_cast<float*>(x.address()), 1},
               1,
               {reinterpret_cast<float*>(y.address()), 1}};
    void* parameters[1] = {&p};

    adder() {
        fill_words(stream, x, 0x3f800000); // 1.f
        fill_words(stream, y, 0);
    }
    float sum() {
        float result = 0;
        copy(stream, std::as_writable_bytes(std::span(&result, 1)), y);
        stream.synchronize();
        return result;
    }
};

} // namespace

TEST_CASE("a machine without a driver says so, and one with it has a version") {
    try {
        driver const real;
        CHECK(real.version() >= 12040); // CUDA 12.4, the oldest that Spio takes
        std::cout << "summary: cuda.driver: CUDA " << real.version() << '\n';
    } catch (spio::error const& e) {
        CHECK(!e.tried().empty());
        CHECK(!e.reason().empty());
        std::cout << "summary: cuda.driver: " << e.what() << '\n';
    }
}

TEST_CASE("a driver that is too old is refused for the function that it lacks") {
    auto& gpus = fake::the_machine();
    for (bool const has_stubs : {false, true}) {
        gpus.driver_version = 12020;
        gpus.has_stubs = has_stubs;
        std::string const message = message_of([] { driver const old(fake::find); });
        gpus.driver_version = 13000;
        gpus.has_stubs = false;
        CHECK(message ==
              "cuGetProcAddress for cuKernelGetParamInfo of CUDA 12.4: not there: the driver is "
              "older than that");
    }
}

TEST_CASE("errors say what was tried, for what, and what the driver said") {
    adder gpu;
    CHECK(message_of([&] { gpu.driver.device(7); }) ==
          "cuDeviceGet for device 7: CUDA_ERROR_OF_THE_FAKE: words of the fake");
    CHECK(contains(message_of([&] { gpu.library.kernel("subtract"); }),
                   "cuLibraryGetKernel for kernel subtract of image additions: "));
    CHECK(contains(message_of([&] { memory(gpu.context, 0); }),
                   "cuMemAlloc for 0 bytes on device 0"));
    CHECK(contains(message_of([&] {
                       launch(gpu.kernel.load(gpu.context), {.shape = {.shared_bytes = 64 << 10}},
                              gpu.stream, gpu.parameters);
                   }),
                   "cuLaunchKernelEx for kernel add as 1x1x1 blocks of 1x1x1 threads with 65536 "
                   "bytes of shared memory, clusters of 1x1x1, on device 0: "));
    auto const broken = std::as_bytes(std::span("\177ELG"));
    CHECK(contains(message_of([&] { library(gpu.driver, broken, "broken"); }),
                   "cuLibraryLoadData for image broken (5 bytes): CUDA_ERROR_OF_THE_FAKE"));
}

TEST_CASE("an error in a forked process says that the driver is its parent's") {
    driver const driver(fake::find);
    auto const message = [&] { return message_of([&] { driver.device(7); }); };
    std::string const words = "cuDeviceGet for device 7: CUDA_ERROR_OF_THE_FAKE: words of the fake";
    std::string const more = "; this process was forked after its parent had opened CUDA's driver, "
                             "which works in the parent alone";
    CHECK(message() == words);
    pid_t const child = fork();
    if (child == 0) _exit(message() == words + more ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("wrong arguments are refused without a call of the driver") {
    adder gpu;
    memory_ref const four = gpu.x;
    auto const call_count = fake::the_machine().calls.size();
    CHECK(contains(message_of([&] { four.part(3, 2); }), "out of bounds: there are 4 bytes"));
    CHECK(contains(message_of([&] { four.part(5, 0); }), "out of bounds"));
    CHECK(contains(message_of([&] { four.part(1, ~std::size_t{0}); }), "out of bounds"));
    CHECK(contains(message_of([&] { copy(gpu.stream, four, four.part(0, 2)); }), "sizes differ"));
    CHECK(contains(message_of([&] { fill_words(gpu.stream, four.part(0, 3), 0); }), "whole words"));
    CHECK(contains(message_of([&] { memory_ref(0, 4); }), "null address"));
    CHECK(contains(message_of([&] { stream_ref(gpu.context, nullptr); }), "null stream"));
    CHECK(contains(message_of([&] { event_ref(gpu.context, nullptr); }), "null event"));
    CHECK(contains(message_of([&] { graph(gpu.context, nullptr); }), "null graph"));
    CHECK(contains(message_of([&] { kernel_ref(gpu.driver, nullptr, "k"); }), "null kernel"));
    CHECK(contains(message_of([&] { function_ref(gpu.context, nullptr, "k"); }), "null function"));
    CHECK(
        contains(message_of([&] { context_ref(gpu.context.device(), nullptr); }), "null context"));
    CHECK(contains(message_of([&] { library(gpu.driver, {}, "empty"); }), "no image"));
    // A fatbin has a number at its begin, and may end with any byte.
    unsigned char const fatbin[] = {0x50, 0xed, 0x55, 0xba, 1, 1, 1, 1};
    auto const loaded = [&](std::size_t bytes) {
        return message_of(
            [&] { library(gpu.driver, std::as_bytes(std::span(fatbin, bytes)), "fatbin"); });
    };
    CHECK(contains(loaded(4), "no image"));
    auto const text = std::as_bytes(std::span(".version 8.0", 12));
    CHECK(contains(message_of([&] { library(gpu.driver, text, "text"); }), "zero at its end"));
    CHECK(contains(message_of([&] { encode(gpu.context, {.rank = 6}, four); }),
                   "no rank from 1 to 5"));
    CHECK(fake::the_machine().calls.size() == call_count);
    CHECK(contains(loaded(8), "CUDA_ERROR_OF_THE_FAKE"));
}

TEST_CASE("an image lives as long as its library, even if the library is moved") {
    driver const driver(fake::find);
    auto bytes = std::make_shared<std::vector<std::byte>>(image().begin(), image().end());
    std::weak_ptr const watched = bytes;
    {
        library first(driver, *bytes, "additions", bytes);
        bytes.reset();
        library const second = std::move(first);
        CHECK(!watched.expired());
        CHECK(second.name() == "additions");
        CHECK(second.kernel("add").name() == "add");
    }
    CHECK(watched.expired());
    CHECK(fake::the_machine().objects.empty());
}

TEST_CASE("loading a kernel fails in a capture and ends it, but no capture of another thread") {
    adder gpu;
    function_ref const add = gpu.kernel.load(gpu.context);
    begin_capture(gpu.stream);
    CHECK(contains(message_of([&] { library(gpu.driver, image(), "late"); }), "cuLibraryLoadData"));
    CHECK(contains(message_of([&] { gpu.library.kernel("add").load(gpu.context); }), "cuFuncLoad"));
    CHECK(contains(message_of([&] { end_capture(gpu.stream); }), "cuStreamEndCapture"));

    begin_capture(gpu.stream);
    std::jthread([&] { library(gpu.driver, image(), "meanwhile"); }).join();
    CHECK(stream_ref(gpu.stream).capture() == abi::capture_status::active);
    launch(add, /*shape=*/{}, gpu.stream, gpu.parameters);
    executable_graph const graph(end_capture(gpu.stream));
    CHECK(stream_ref(gpu.stream).capture() == abi::capture_status::none);
    CHECK(gpu.sum() == 0);
    for (int i = 0; i < 3; ++i) graph.launch(gpu.stream);
    CHECK(gpu.sum() == 3);
}

TEST_CASE("a launch in a stream of its own calls the driver once") {
    adder gpu;
    function_ref const add = gpu.kernel.load(gpu.context);
    stream_ref const stream = gpu.stream;
    auto& calls = fake::the_machine().calls;
    auto const call_count = calls.size();
    launch(add, /*shape=*/{}, stream, gpu.parameters);
    CHECK(calls.size() == call_count + 1);
    launch(add, /*shape=*/{}, stream_ref::per_thread(gpu.context), gpu.parameters);
    CHECK(calls.size() == call_count + 4); // enters, launches, leaves
    CHECK(gpu.sum() == 2);
}

TEST_CASE("an address belongs to the device whose memory has it") {
    adder gpu;
    context const contexts[] = {context(gpu.driver.device(0)), context(gpu.driver.device(1))};
    for (int i = 0; i < 2; ++i) {
        memory const some(contexts[i], 100);
        for (auto const offset : {0, 1, 99}) {
            auto const owner = gpu.driver.owner(some.address() + static_cast<unsigned>(offset));
            REQUIRE(owner);
            CHECK(owner->ordinal() == i);
        }
    }
    CHECK(!gpu.driver.owner(1));
    // Memory of the host has no device in the fake.
    CHECK(!gpu.driver.owner(
        reinterpret_cast<abi::pointer>(host_memory(contexts[0], 8).bytes().data())));
}

TEST_CASE("the caller's context is current again after a call that throws") {
    adder gpu;
    CHECK(!context_ref::current(gpu.driver));
    context const other(gpu.driver.device(1));
    scope const other_scope(other);
    CHECK(contains(message_of([&] { memory(gpu.context, 0); }), "cuMemAlloc"));
    memory const fine(gpu.context, 1);
    auto const now = context_ref::current(gpu.driver);
    REQUIRE(now);
    CHECK(now->handle() == context_ref(other).handle());
    CHECK(now->device().ordinal() == 1);
    // A null handle is the default stream of the current context.
    stream_ref const legacy = stream_ref::of(gpu.driver, nullptr);
    CHECK(legacy.is_default());
    CHECK(legacy.context().device().ordinal() == 1);
}

TEST_CASE("sixteen threads load, launch and unload on two devices") {
    driver const driver(fake::find);
    context const contexts[] = {context(driver.device(0)), context(driver.device(1))};
    constexpr int rounds = 100;
    std::vector<int> right(16);
    {
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < right.size(); ++thread) {
            threads.emplace_back([&, thread] {
                for (int round = 0; round < rounds; ++round) {
                    context_ref const context =
                        contexts[(thread + static_cast<std::size_t>(round)) % 2];
                    library const library(driver, image(), "additions");
                    function_ref const add = library.kernel("add").load(context);
                    stream const stream(context);
                    memory const y(context, 4);
                    fill_words(stream, y, 0x3f800000);
                    auto const data = reinterpret_cast<float*>(y.address());
                    addition p{1, {data, 1}, 2, {data, 1}};
                    void* parameters[] = {&p};
                    launch(add, /*shape=*/{}, stream, parameters);
                    float sum = 0;
                    copy(stream, std::as_writable_bytes(std::span(&sum, 1)), y);
                    stream.synchronize();
                    right[thread] += sum == 3 && fake::entered.empty();
                }
            });
        }
    }
    for (int const count : right) CHECK(count == rounds);
    CHECK(driver.losses() == 0);
}
