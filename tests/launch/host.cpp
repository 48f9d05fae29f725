// Problems become results on the host device, by the calls that a GPU takes too.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. A policy
// says whether images come from packs (files of them), from a compiler at run time, or both. axpby
// is y = a x + b y. A manifest is the list of kernels that were compiled into the program.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

import spio.axpby;
import spio.host;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;
import spio.system;

using namespace spio;

namespace {

// The host device, with the kernels that are compiled into this program.
struct host_fixture {
    spio::device device = host_device({host::allocate, host::release});
    host::compiled_in shipped;
    no_source no_compiler;
    spio::images images{shipped, no_compiler, policy::aot_only};
    spio::kernels kernels{device};
    spio::stream stream{device};

    // An array on the device with these values, and the values of one.
    template <class T>
    array<T> put(std::vector<host_value<T>> const& values, std::string name) const {
        array<T> memory(device, values.size(), std::move(name));
        stream.write(memory, values);
        return memory;
    }
    template <class T> std::vector<host_value<T>> get(array<T> const& memory) const {
        std::vector<host_value<T>> values(memory.size());
        stream.read(std::span(values), memory);
        stream.synchronize();
        return values;
    }
};

// The error that f throws, or "nothing".
std::string message_of(std::function<void()> const& f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.what();
    }
    return "nothing";
}

constexpr double float_unit = 0x1p-24; // the relative error of one rounding to float

axpby::scalars vector(array<float> const& values, int n) {
    return values.as<axpby::scalars>(axpby::N(n));
}

// Runs axpby on n numbers, with a kernel for vectors of `problem_size`, and compares with sums in
// double; returns how many numbers were compared.
std::size_t run_axpby(host_fixture const& fixture, int n, int problem_size) {
    axpby::problem const problem = {.n = problem_size};
    auto const spec = axpby::specialize(problem, fixture.device.arch());
    auto const kernel = fixture.kernels.load(fixture.images.find(spec));

    std::mt19937 random(static_cast<unsigned>(n));
    std::uniform_real_distribution<float> uniform(-2, 2);
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
    for (auto& each : x) each = uniform(random);
    for (auto& each : y) each = uniform(random);
    auto const expected = axpby::reference(1.5f, x, -0.3f, y);
    auto const device_x = fixture.put<float>(x, "x"), device_y = fixture.put<float>(y, "y");
    fixture.stream.launch(
        kernel, {.a = 1.5f, .x = vector(device_x, n), .b = -0.3f, .y = vector(device_y, n)});
    auto const result = fixture.get(device_y);
    for (std::size_t i = 0; i < result.size(); ++i) {
        double const bound = float_unit * (std::abs(0.3 * y[i]) * 2 + std::abs(expected[i]) * 2);
        REQUIRE(std::abs(result[i] - expected[i]) <= bound);
    }
    return result.size();
}

// Runs LayerNorm on random halves, and compares with sums in double; returns how many were
// compared.
std::size_t run_layernorm(host_fixture const& fixture, layernorm_2d::problem const& problem,
                          int positions) {
    auto const spec = layernorm_2d::specialize(problem, fixture.device.arch());
    auto const kernel = fixture.kernels.load(fixture.images.find(spec));

    auto const channels = static_cast<std::size_t>(problem.channels);
    std::mt19937 random(static_cast<unsigned>(positions));
    std::uniform_real_distribution<float> uniform(-2, 2);
    // Halves from 1 to 2, of either sign.
    std::vector<unsigned short> x(channels * static_cast<std::size_t>(positions));
    for (auto& each : x) {
        each = static_cast<unsigned short>(0x3c00 | (random() & 0x83ff));
    }
    std::vector<float> weight(problem.affine ? channels : 0), bias(weight.size());
    for (auto& each : weight) each = uniform(random);
    for (auto& each : bias) each = uniform(random);
    auto const device_x = fixture.put<half>(x, "x"), device_y = fixture.put<half>(x, "y");
    auto const on_weight = fixture.put<float>(weight, "weight"),
               on_bias = fixture.put<float>(bias, "bias");
    using namespace layernorm_2d;
    auto const position_count = X(positions);
    auto const channel_count = C(problem.channels),
               factor_count = C(static_cast<int>(weight.size()));
    fixture.stream.launch(kernel,
                          {.x = device_x.as<layernorm_2d::images>(position_count, channel_count),
                           .y = device_y.as<layernorm_2d::images>(position_count, channel_count),
                           .weight = on_weight.as<factors_to_read>(factor_count),
                           .bias = on_bias.as<factors_to_read>(factor_count),
                           .epsilon = 1e-5f});
    auto const result = fixture.get(device_y);
    auto const expected = layernorm_2d::reference(problem, x, weight, bias, /*epsilon=*/1e-5f);
    for (std::size_t i = 0; i < result.size(); ++i) {
        // Rounded to a half, after sums of a few thousand floats.
        double const bound = 0x1p-11 * std::abs(expected[i]) + 0x1p-14;
        REQUIRE(std::abs(layernorm_2d::number_of(result[i]) - expected[i]) <= bound);
    }
    return result.size();
}

} // namespace

TEST_CASE("the host device distinguishes two texts of one symbol") {
    auto const spec = axpby::specialize({.n = 1000}, host_arch);
    REQUIRE(host::find(spec));
    auto other = spec;
    std::string const text = std::string(spec.headers.front().text) + "// changed\n";
    std::vector<header> headers(spec.headers.begin(), spec.headers.end());
    for (auto& header : headers) {
        if (header.name == "axpby/axpby.cuh") header.text = text;
    }
    other.headers = headers;
    CHECK(!host::find(other));
    headers = {spec.headers.begin(), spec.headers.end()};
    other.headers = headers;
    CHECK(host::find(other));
    other.source += "\n";
    CHECK(!host::find(other));
}

TEST_CASE("axpby and LayerNorm run from problem to result") {
    host_fixture const fixture;
    auto const start = std::chrono::steady_clock::now();
    std::size_t elements = 0;
    for (int const n : {0, 1, 5, 1024, 4097}) {
        elements += run_axpby(fixture, n, /*problem_size=*/1000);
        elements += run_axpby(fixture, n, /*problem_size=*/10'000'000);
    }
    for (int const positions : {0, 1, 100}) {
        elements += run_layernorm(fixture, {.channels = 64}, positions);
        elements += run_layernorm(fixture, {.channels = 120, .affine = false}, positions);
        elements += run_layernorm(fixture, {.channels = 1280}, positions / 10);
    }
    std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - start;
    CHECK(fixture.kernels.loaded() == 5);
    CHECK(fixture.images.count().packed == 19); // 5 x 2 launches of axpby and 3 x 3 of LayerNorm
    std::cout << "summary: launch.host: " << fixture.images.count().packed << " launches of "
              << fixture.kernels.loaded() << " kernels, " << elements
              << " elements agree with fp64 within their bounds, " << spent.count() << " s\n";
}

TEST_CASE("the error of a kernel that is in no pack has the manifest line that would add it") {
    host_fixture const fixture;
    auto const spec = layernorm_2d::specialize({.channels = 72}, host_arch);
    CHECK(message_of([&] { fixture.images.find(spec); }) ==
          "find for kernel layernorm_2d channels=72 affine=true for host (" + spec.symbol +
              "): no pack has it, and nothing else is asked under aot_only; the manifest line that "
              "adds it to a pack of host is: layernorm_2d channels=72 affine=true");
    CHECK(fixture.images.count().missed == 1);
}

TEST_CASE("the error of a kernel that stores out of bounds names its specification") {
    host_fixture const fixture;
    auto const spec = axpby::specialize({.n = 64}, host_arch);
    auto const kernel = fixture.kernels.load(fixture.images.find(spec));
    auto const x = fixture.put<float>(std::vector<float>(64, 1), "x");
    auto const y = fixture.put<float>(std::vector<float>(32, 1), "y");
    auto const oversized_y = axpby::scalars(y.data(), axpby::N(64));
    auto const message = message_of([&] {
        fixture.stream.launch(kernel, {.a = 1, .x = vector(x, 64), .b = 1, .y = oversized_y});
    });
    CHECK(message.starts_with("launch for kernel axpby n=64 for host (" + spec.symbol +
                              ", from this program): "));
    CHECK(message.find("global out of bounds") != message.npos);
    bool const can_tell_lines = !found_in_path("addr2line").empty();
    CHECK((message.find("; in ") != message.npos) == can_tell_lines);
    CHECK((message.find("/axpby.cuh:") != message.npos) == can_tell_lines);
    // The log draws the threads of the block: those that had run, and the one that was wrong.
    CHECK(message.find("\n  ........X-----------------------\n") != message.npos);
}

TEST_CASE("copies between different sizes, and arrays and kernels of another device, are refused") {
    host_fixture const fixture, other;
    auto const x = fixture.put<float>(std::vector<float>(64, 1), "x");
    std::vector<float> few(3);
    CHECK(message_of([&] { fixture.stream.read(std::span(few), x); }) ==
          "copy for the host device: 64 elements to 3");
    std::vector<float> values(64);
    for (bool const is_read : {true, false}) {
        CHECK(message_of([&] {
                  if (is_read) other.stream.read(std::span(values), x);
                  if (!is_read) other.stream.write(x, values);
              }) == "copy for the host device: the array is of another device");
    }
    auto const spec = axpby::specialize({.n = 64}, host_arch);
    auto const kernel = other.kernels.load(other.images.find(spec));
    CHECK(message_of([&] { fixture.stream.launch(kernel, spec.over({1}), axpby::params()); }) ==
          "launch for the host device: what is launched is of another device");
}

TEST_CASE("tensors that do not fit their array, each other or the kernel are refused") {
    host_fixture const fixture;
    auto const x = fixture.put<float>(std::vector<float>(64, 1), "x");
    CHECK(message_of([&] { vector(x, 65); }) ==
          "view for an array of 64 elements: the tensor has 65");
    auto const kernel =
        fixture.kernels.load(fixture.images.find(axpby::specialize({.n = 64}, host_arch)));
    CHECK(message_of([&] {
              fixture.stream.launch(kernel,
                                    {.a = 1, .x = vector(x, 64), .b = 1, .y = vector(x, 63)});
          }) == "launch for axpby: x has 64 elements, y has 63");
    auto const norm =
        fixture.kernels.load(fixture.images.find(layernorm_2d::specialize({64}, host_arch)));
    array<half> const y(fixture.device, 640);
    using namespace layernorm_2d;
    auto const wide_images = y.as<layernorm_2d::images>(X(8), C(80));
    CHECK(message_of([&] { fixture.stream.launch(norm, {.x = wide_images, .y = wide_images}); }) ==
          "launch for layernorm_2d channels=64 affine=true: x is 8 x 80, y 8 x 80, weight 0 and "
          "bias 0");
    // Each tensor alone has another size.
    auto const factors = fixture.put<float>(std::vector<float>(128, 1), "factors");
    auto const refusal_of = [&](int x_rows, int y_rows, int weight, int bias) {
        return message_of([&] {
            fixture.stream.launch(norm, {.x = y.as<layernorm_2d::images>(X(x_rows), C(64)),
                                         .y = y.as<layernorm_2d::images>(X(y_rows), C(64)),
                                         .weight = factors.as<factors_to_read>(C(weight)),
                                         .bias = factors.as<factors_to_read>(C(bias))});
        });
    };
    CHECK(refusal_of(7, 8, 64, 64).ends_with(": x is 7 x 64, y 8 x 64, weight 64 and bias 64"));
    CHECK(refusal_of(8, 8, 56, 64).ends_with(": x is 8 x 64, y 8 x 64, weight 56 and bias 64"));
    CHECK(refusal_of(8, 8, 64, 72).ends_with(": x is 8 x 64, y 8 x 64, weight 64 and bias 72"));
}

TEST_CASE("a capture inside a capture is refused, and the next capture succeeds") {
    host_fixture const fixture;
    CHECK(message_of([&] { fixture.stream.capture([&] { fixture.stream.capture([] {}); }); }) ==
          "capture for the host device: its stream is captured already");
    CHECK(!fixture.stream.is_captured());
    auto const x = fixture.put<float>(std::vector<float>(2, 1), "x");
    std::vector<float> const twos(2, 2);
    auto const writes = fixture.stream.capture([&] { fixture.stream.write(x, twos); });
    CHECK(fixture.get(x) == std::vector<float>(2, 1));
    fixture.stream.launch(writes);
    CHECK(fixture.get(x) == twos);
}

TEST_CASE("an array of more bytes than can be counted is refused") {
    host_fixture const fixture;
    constexpr auto most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    CHECK(message_of([&] { array<float>(fixture.device, most + 1, "x"); }) ==
          "allocate for x: 4611686018427387904 elements are too many");
}
