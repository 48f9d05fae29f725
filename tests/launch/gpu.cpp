// A GPU behind the same calls, with a driver that is not there.
// SPDX-License-Identifier: Apache-2.0
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

import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;

namespace {

// What the fake takes for a cubin with this kernel; all of its kernels are axpby.
image cubin_of(spec const& of) {
    std::string const text = "\177ELF" + of.symbol + " " + '\0';
    return image_of_bytes(of, image_kind::cubin, std::as_bytes(std::span(text)), "a test");
}

std::string said_by(std::function<void()> const& f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.what();
    }
    return "nothing";
}

axpby::scalars vector_in(array<float> const& a) {
    return a.as<axpby::scalars>(axpby::N(static_cast<int>(a.size())));
}

// One launch of axpby, from the problem to the result; throws what went wrong. Counts what could
// not be given back.
std::vector<float> run(int& losses) {
    cuda::driver const driver(fake::find, [&](spio::error const&) { ++losses; });
    device const gpu = gpu_device(driver, 1);
    axpby::problem const problem = {.n = 5};
    auto const spec = axpby::specialize(problem, gpu.arch());
    memory_source shipped;
    shipped.add(cubin_of(spec));
    no_source const nothing;
    images const images(shipped, nothing, policy::aot_only);
    kernels const kernels(gpu);
    stream const stream(gpu);

    std::vector<float> const x = {1, 2, 3, 4, 5}, y = {5, 5, 5, 5, 5};
    array<float> const on_x(gpu, 5), on_y(gpu, 5);
    stream.write(on_x, x);
    stream.write(on_y, y);
    auto const kernel = kernels.load(images.find(spec));
    stream.launch(kernel, {.a = 2, .x = vector_in(on_x), .b = 1, .y = vector_in(on_y)});
    std::vector<float> sums(5);
    stream.read(std::span(sums), on_y);
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

TEST_CASE("whichever call of the driver fails, it is told, and nothing is left") {
    auto& machine = fake::the_machine();
    machine.expect({});
    int losses = 0;
    run(losses);
    long const calls = static_cast<long>(machine.calls.size());
    long told = 0, harmless = 0;
    for (long at = 0; at < calls; ++at) {
        machine.expect({.at = at, .code = 2});
        losses = 0;
        try {
            // Giving back may fail without harm to the result.
            auto const sums = run(losses);
            CHECK(sums == expected);
            ++harmless;
        } catch (spio::error const& e) {
            CHECK(!e.subject().empty());
            ++told;
        }
        if (losses == 0) CHECK(machine.objects.empty());
        machine.objects.clear();
        fake::entered.clear();
        for (int& retained : machine.retained) retained = 0;
    }
    machine.expect({});
    CHECK(run(losses) == expected);
    std::cout << "figure: launch.gpu.faults: " << calls << " calls failed in turn, " << told
              << " told, " << harmless << " while giving back or not needed\n";
}

TEST_CASE("threads that ask for one kernel at once get it loaded once") {
    fake::the_machine().expect({});
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    auto const spec = axpby::specialize({.n = 1}, gpu.arch());
    memory_source shipped;
    shipped.add(cubin_of(spec));
    no_source const nothing;
    images const images(shipped, nothing, policy::aot_only);
    kernels const kernels(gpu);
    constexpr unsigned count = 16;
    std::vector<float> sums(count);
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < count; ++t) {
            threads.emplace_back([&, t] {
                stream const stream(gpu);
                array<float> const x(gpu, 1), y(gpu, 1);
                std::vector<float> const of_x = {static_cast<float>(t)}, of_y = {0};
                stream.write(x, std::span(of_x));
                stream.write(y, std::span(of_y));
                stream.launch(kernels.load(images.find(spec)),
                              {.a = 2, .x = vector_in(x), .b = 1, .y = vector_in(y)});
                stream.read(std::span(&sums[t], 1), y);
                stream.synchronize();
            });
        }
    }
    for (unsigned t = 0; t < count; ++t) CHECK(sums[t] == 2.0f * static_cast<float>(t));
    CHECK(kernels.loaded() == 1);
    CHECK(images.count().packed == count);
    auto const& calls = fake::the_machine().calls;
    CHECK(std::ranges::count_if(calls, [](char const* name) {
              return std::string_view(name) == "cuLibraryLoadData";
          }) == 1);
}

TEST_CASE("a kernel with other parameters, or of another device, is not loaded") {
    struct drifted {
        float a;
    };
    cuda::driver const driver(fake::find);
    device const gpu = gpu_device(driver, 0);
    kernels const kernels(gpu);
    auto const of = axpby::specialize({.n = 64}, gpu.arch());
    typed_image<drifted> const other = {cubin_of(of), {}};
    auto const about = "load for kernel axpby n=64 for sm_90a (" + of.symbol + ", from a test): ";
    CHECK(said_by([&] { kernels.load(other); }) ==
          about + "it takes parameters of 48 bytes, not of 4");
    typed_image<drifted> lying = other;
    lying.params_bytes = sizeof(drifted);
    CHECK(said_by([&] { kernels.load(lying); }) ==
          about + "the driver says that it takes parameters of 48 bytes, not of 4");
    typed_image<axpby::params> const of_host = {cubin_of(axpby::specialize({.n = 1}, host_arch)),
                                                {}};
    CHECK(said_by([&] { kernels.load(of_host); }).ends_with("device 0, Fake 0 is sm_90a"));
    CHECK(kernels.loaded() == 0);
}

TEST_CASE("a graph keeps its kernels, as long as it is there") {
    auto& machine = fake::the_machine();
    machine.expect({});
    auto const libraries = [&] {
        return std::ranges::count_if(machine.objects, [](auto const& each) {
            return each.second.kind == fake::kind::library;
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
            kernels const own(gpu);
            auto const kernel = own.load(image);
            return stream.capture([&] {
                stream.launch(kernel, {.a = 2, .x = vector_in(x), .b = 1, .y = vector_in(y)});
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

TEST_CASE("what is made from a device keeps the driver") {
    fake::the_machine().expect({});
    auto driver = std::make_shared<cuda::driver const>(fake::find);
    std::weak_ptr<cuda::driver const> const kept = driver;
    {
        auto const memory = [&] {
            device const gpu = gpu_device(std::move(driver), 0);
            return array<float>(gpu, 1);
        }();
        CHECK(!kept.expired());
    }
    CHECK(kept.expired());
    CHECK(fake::the_machine().objects.empty());
}
