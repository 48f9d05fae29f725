// Launches on a GPU, by the calls that the host device takes too; the driver is a fake.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. A policy
// says whether images come from packs (files of them), from a compiler at run time, or both. The
// fake driver keeps objects and the names of calls; expect() says which call is to fail, if any.
// axpby is y = a x + b y. fake::the_machine() has the state of the fake driver.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

import spio.added_images;
import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;

namespace {

// What the fake driver loads as a cubin with this kernel; all of its kernels compute axpby.
image cubin_of(spec const& spec) {
    std::string const text = "\177ELF" + spec.symbol + " " + '\0';
    return image_of_bytes(spec, image_kind::cubin, std::as_bytes(std::span(text)), "a test");
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

axpby::scalars scalars_of(array<float> const& values) {
    return values.as<axpby::scalars>(axpby::N(static_cast<int>(values.size())));
}

// One launch of axpby, from the problem to the result. Throws what the driver reports, and counts
// the objects that it failed to release.
std::vector<float> run(int& losses) {
    cuda::driver const driver(fake::find, [&](spio::error const&) { ++losses; });
    device const gpu = gpu_device(driver, 1);
    axpby::problem const problem = {.n = 5};
    auto const spec = axpby::specialize(problem, gpu.arch());
    added_images shipped;
    shipped.add(cubin_of(spec));
    no_source const no_compiler;
    images const images(shipped, no_compiler, policy::aot_only);
    kernels const kernels(gpu);
    stream const stream(gpu);

    std::vector<float> const x = {1, 2, 3, 4, 5}, y = {5, 5, 5, 5, 5};
    array<float> const device_x(gpu, 5), device_y(gpu, 5);
    stream.write(device_x, x);
    stream.write(device_y, y);
    auto const kernel = kernels.load(images.find(spec));
    stream.launch(kernel, {.a = 2, .x = scalars_of(device_x), .b = 1, .y = scalars_of(device_y)});
    std::vector<float> sums(5);
    stream.read(std::span(sums), device_y);
    stream.synchronize();
    return sums;
}

std::vector<float> const expected = {7, 9, 11, 13, 15};

} // namespace

TEST_CASE("axpby runs on a GPU by the calls that the host takes") {
    fake::the_machine().expect({});
    int losses = 0;
    CHECK(run(losses) == expected);
    CHECK(losses == 0);
    CHECK(fake::the_machine().objects.empty());
}

TEST_CASE("a call of the driver that fails is reported, whichever it is, and nothing is leaked") {
    auto& machine = fake::the_machine();
    machine.expect({});
    int losses = 0;
    run(losses);
    long const calls = static_cast<long>(machine.calls.size());
    long reported = 0, harmless = 0;
    for (long call = 0; call < calls; ++call) {
        machine.expect({.call = call, .code = 2}); // this call fails: out of memory
        losses = 0;
        try {
            // A release that fails does no harm to the result.
            auto const sums = run(losses);
            CHECK(sums == expected);
            ++harmless;
        } catch (spio::error const& e) {
            CHECK(!e.subject().empty());
            ++reported;
        }
        if (losses == 0) CHECK(machine.objects.empty());
        machine.objects.clear();
        fake::entered.clear();
        for (int& retained : machine.retained) retained = 0;
    }
    machine.expect({});
    CHECK(run(losses) == expected);
    std::cout << "summary: launch.gpu.faults: " << calls << " calls failed in turn, " << reported
              << " reported, " << harmless << " while giving back or not needed\n";
}

TEST_CASE("threads that ask for one kernel at once get it loaded once") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    auto const spec = axpby::specialize({.n = 1}, gpu.arch());
    added_images shipped;
    shipped.add(cubin_of(spec));
    no_source const no_compiler;
    images const images(shipped, no_compiler, policy::aot_only);
    kernels const kernels(gpu);
    constexpr unsigned count = 16;
    std::vector<float> sums(count);
    {
        std::vector<std::jthread> threads;
        for (unsigned thread = 0; thread < count; ++thread) {
            threads.emplace_back([&, thread] {
                stream const stream(gpu);
                array<float> const x(gpu, 1), y(gpu, 1);
                std::vector<float> const x_values = {static_cast<float>(thread)}, y_values = {0};
                stream.write(x, std::span(x_values));
                stream.write(y, std::span(y_values));
                stream.launch(kernels.load(images.find(spec)),
                              {.a = 2, .x = scalars_of(x), .b = 1, .y = scalars_of(y)});
                stream.read(std::span(&sums[thread], 1), y);
                stream.synchronize();
            });
        }
    }
    for (unsigned thread = 0; thread < count; ++thread) {
        CHECK(sums[thread] == 2.0f * static_cast<float>(thread));
    }
    CHECK(kernels.loaded() == 1);
    CHECK(images.count().packed == count);
    auto const& calls = fake::the_machine().calls;
    CHECK(std::ranges::count_if(calls, [](char const* name) {
              return std::string_view(name) == "cuLibraryLoadData";
          }) == 1);
}

TEST_CASE("a kernel with other parameters, or of another device, is not loaded") {
    // Parameters of another version of the kernel, and an image that claims to take them.
    struct drifted {
        float a;
    };
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    kernels const kernels(gpu);
    auto const spec = axpby::specialize({.n = 64}, gpu.arch());
    typed_image<drifted> const image = {cubin_of(spec), {}};
    auto const opening =
        "load for kernel axpby n=64 for sm_90a (" + spec.symbol + ", from a test): ";
    CHECK(message_of([&] { kernels.load(image); }) ==
          opening + "it takes parameters of 48 bytes, not of 4");
    typed_image<drifted> lying = image;
    lying.params_bytes = sizeof(drifted);
    CHECK(message_of([&] { kernels.load(lying); }) ==
          opening + "the driver says that it takes parameters of 48 bytes, not of 4");
    typed_image<axpby::params> const of_host = {cubin_of(axpby::specialize({.n = 1}, host_arch)),
                                                {}};
    CHECK(message_of([&] { kernels.load(of_host); }).ends_with("device 0, Fake 0 is sm_90a"));
    CHECK(kernels.loaded() == 0);
}

TEST_CASE("a kernel may use as much shared memory as its image says, also above 48 KiB") {
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    for (int const bytes : {0, 48 * 1024, 48 * 1024 + 1, 64 * 1024, 227 * 1024}) {
        CAPTURE(bytes);
        kernels const kernels(gpu);
        auto image = cubin_of(axpby::specialize({.n = 64}, gpu.arch()));
        image.shape.shared_bytes = bytes;
        kernels.prepare(image);
        auto const is_function = [](auto const& object) {
            return object.second.kind == fake::kind::function;
        };
        auto const function = std::ranges::find_if(machine.objects, is_function);
        REQUIRE(function != machine.objects.end());
        CHECK(function->second.dynamic_shared >= bytes);
    }
}

TEST_CASE("a kernel is allowed clusters of more than 8 blocks if its image has such") {
    auto& machine = fake::the_machine();
    machine.expect({});
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    for (int const blocks : {1, 8, 9, 16}) {
        CAPTURE(blocks);
        kernels const kernels(gpu);
        auto image = cubin_of(axpby::specialize({.n = 64}, gpu.arch()));
        image.shape.cluster = {blocks};
        kernels.prepare(image);
        CHECK(std::ranges::count_if(machine.objects, [](auto const& object) {
                  return object.second.allows_large_clusters;
              }) == (blocks > 8 ? 1 : 0));
    }
}

TEST_CASE("a graph keeps its kernels loaded until it is destroyed") {
    auto& machine = fake::the_machine();
    machine.expect({});
    auto const libraries = [&] {
        return std::ranges::count_if(machine.objects, [](auto const& object) {
            return object.second.kind == fake::kind::library;
        });
    };
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    stream const stream(gpu);
    array<float> const x(gpu, 1), y(gpu, 1);
    stream.write(x, std::vector<float>{3});
    stream.write(y, std::vector<float>{1});
    {
        auto const captured = [&] {
            auto const spec = axpby::specialize({.n = 1}, gpu.arch());
            typed_image<axpby::params> const image = {cubin_of(spec), spec.grid};
            kernels const kernels(gpu);
            auto const kernel = kernels.load(image);
            return stream.capture([&] {
                stream.launch(kernel, {.a = 2, .x = scalars_of(x), .b = 1, .y = scalars_of(y)});
            });
        }();
        CHECK(libraries() == 1);
        stream.launch(captured);
    }
    CHECK(libraries() == 0);
    std::vector<float> sum(1);
    stream.read(std::span(sum), y);
    stream.synchronize();
    CHECK(sum[0] == 7);
}

TEST_CASE("an array keeps the driver of its device open") {
    fake::the_machine().expect({});
    auto driver = std::make_shared<cuda::driver const>(fake::find);
    std::weak_ptr<cuda::driver const> const observer = driver;
    {
        auto const memory = [&] {
            device const gpu = gpu_device(std::move(driver), 0);
            return array<float>(gpu, 1);
        }();
        CHECK(!observer.expired());
    }
    CHECK(observer.expired());
    CHECK(fake::the_machine().objects.empty());
}
