// Problems become results on the host device, by the calls that a GPU takes too.
// SPDX-License-Identifier: Apache-2.0
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

using namespace spio;

namespace {

struct rig {
    device on = host_device({host::allocate, host::release});
    host::compiled_in shipped;
    no_source nothing;
    spio::images images{shipped, nothing, policy::aot_only};
    spio::kernels kernels{on};
    spio::stream stream{on};

    template <class T>
    array<T> put(std::vector<host_value<T>> const& values, std::string name) const {
        array<T> made(on, values.size(), std::move(name));
        stream.write(made, values);
        return made;
    }
    template <class T> std::vector<host_value<T>> get(array<T> const& from) const {
        std::vector<host_value<T>> values(from.size());
        stream.read(std::span(values), from);
        stream.synchronize();
        return values;
    }
};

std::string said_by(std::function<void()> const& f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.what();
    }
    return "nothing";
}

constexpr double u = 0x1p-24;

axpby::scalars vector(array<float> const& in, int n) { return in.as<axpby::scalars>(axpby::N(n)); }

std::size_t run_axpby(rig const& r, int n, int as_if) {
    axpby::problem const problem = {.n = as_if};
    auto const spec = axpby::specialize(problem, r.on.arch());
    auto const kernel = r.kernels.load(r.images.find(spec));

    std::mt19937 random(static_cast<unsigned>(n));
    std::uniform_real_distribution<float> between(-2, 2);
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
    for (auto& each : x) each = between(random);
    for (auto& each : y) each = between(random);
    auto const expected = axpby::reference(1.5f, x, -0.3f, y);
    auto const on_x = r.put<float>(x, "x"), on_y = r.put<float>(y, "y");
    r.stream.launch(kernel, {.a = 1.5f, .x = vector(on_x, n), .b = -0.3f, .y = vector(on_y, n)});
    auto const got = r.get(on_y);
    for (std::size_t i = 0; i < got.size(); ++i) {
        double const bound = u * (std::abs(0.3 * y[i]) * 2 + std::abs(expected[i]) * 2);
        REQUIRE(std::abs(got[i] - expected[i]) <= bound);
    }
    return got.size();
}

std::size_t run_layernorm(rig const& r, layernorm_2d::problem const& problem, int positions) {
    auto const spec = layernorm_2d::specialize(problem, r.on.arch());
    auto const kernel = r.kernels.load(r.images.find(spec));

    auto const channels = static_cast<std::size_t>(problem.channels);
    std::mt19937 random(static_cast<unsigned>(positions));
    std::uniform_real_distribution<float> between(-2, 2);
    // Halves from 1 to 2, of either sign.
    std::vector<unsigned short> x(channels * static_cast<std::size_t>(positions));
    for (auto& each : x) {
        each = static_cast<unsigned short>(0x3c00 | (random() & 0x83ff));
    }
    std::vector<float> weight(problem.affine ? channels : 0), bias(weight.size());
    for (auto& each : weight) each = between(random);
    for (auto& each : bias) each = between(random);
    auto const on_x = r.put<half>(x, "x"), on_y = r.put<half>(x, "y");
    auto const on_weight = r.put<float>(weight, "weight"), on_bias = r.put<float>(bias, "bias");
    using namespace layernorm_2d;
    auto const all = X(positions);
    auto const some = C(problem.channels), factors = C(static_cast<int>(weight.size()));
    r.stream.launch(kernel, {.x = on_x.as<layernorm_2d::images>(all, some),
                             .y = on_y.as<layernorm_2d::images>(all, some),
                             .weight = on_weight.as<factors_to_read>(factors),
                             .bias = on_bias.as<factors_to_read>(factors),
                             .epsilon = 1e-5f});
    auto const got = r.get(on_y);
    auto const expected = layernorm_2d::reference(problem, x, weight, bias, 1e-5f);
    for (std::size_t i = 0; i < got.size(); ++i) {
        // Rounded to a half, after sums of a few thousand floats.
        double const bound = 0x1p-11 * std::abs(expected[i]) + 0x1p-14;
        REQUIRE(std::abs(layernorm_2d::number_of(got[i]) - expected[i]) <= bound);
    }
    return got.size();
}

} // namespace

TEST_CASE("axpby and LayerNorm run from problem to result") {
    rig const r;
    auto const start = std::chrono::steady_clock::now();
    std::size_t elements = 0;
    for (int const n : {0, 1, 5, 1024, 4097}) {
        elements += run_axpby(r, n, 1000);
        elements += run_axpby(r, n, 10'000'000);
    }
    for (int const positions : {0, 1, 100}) {
        elements += run_layernorm(r, {64}, positions);
        elements += run_layernorm(r, {120, false}, positions);
        elements += run_layernorm(r, {1280}, positions / 10);
    }
    std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - start;
    CHECK(r.kernels.loaded() == 5);
    CHECK(r.stream.launched() == 19);
    CHECK(r.images.count().packed == 19);
    std::cout << "figure: launch.host: " << r.stream.launched() << " launches of "
              << r.kernels.loaded() << " kernels, " << elements
              << " elements agree with fp64 within their bounds, " << spent.count() << " s\n";
}

TEST_CASE("a miss names the kernel, its problem, the architecture and the line to add") {
    rig const r;
    auto const spec = layernorm_2d::specialize({72}, host_arch);
    CHECK(said_by([&] { r.images.find(spec); }) ==
          "find for kernel layernorm_2d channels=72 affine=true for host (" + spec.symbol +
              "): no pack has it, and nothing else is asked under aot_only; the manifest line that "
              "adds it to a pack of host is: layernorm_2d channels=72 affine=true");
    CHECK(r.images.count().missed == 1);
}

TEST_CASE("a kernel that misuses the device is told for its specification") {
    rig const r;
    auto const spec = axpby::specialize({.n = 64}, host_arch);
    auto const kernel = r.kernels.load(r.images.find(spec));
    auto const x = r.put<float>(std::vector<float>(64, 1), "x");
    auto const y = r.put<float>(std::vector<float>(32, 1), "y");
    auto const beyond = axpby::scalars(y.data(), axpby::N(64));
    auto const said = said_by(
        [&] { r.stream.launch(kernel, {.a = 1, .x = vector(x, 64), .b = 1, .y = beyond}); });
    CHECK(said.starts_with("launch for kernel axpby n=64 for host (" + spec.symbol +
                           ", from this program): "));
    CHECK(said.find("global out of bounds") != said.npos);
}

TEST_CASE("copies of other sizes, and kernels of another device, are refused") {
    rig const r, other;
    auto const x = r.put<float>(std::vector<float>(64, 1), "x");
    std::vector<float> few(3);
    CHECK(said_by([&] { r.stream.read(std::span(few), x); }) ==
          "copy for the host device: 64 elements to 3");
    auto const spec = axpby::specialize({.n = 64}, host_arch);
    auto const kernel = other.kernels.load(other.images.find(spec));
    CHECK(said_by([&] { r.stream.launch(kernel, spec.over({1}), {}); }) ==
          "launch for the host device: what is launched is of another device");
}

TEST_CASE("tensors that do not fit their array, each other or the kernel are refused") {
    rig const r;
    auto const x = r.put<float>(std::vector<float>(64, 1), "x");
    CHECK(said_by([&] { vector(x, 65); }) == "view for an array of 64 elements: the tensor has 65");
    auto const kernel = r.kernels.load(r.images.find(axpby::specialize({.n = 64}, host_arch)));
    CHECK(said_by([&] {
              r.stream.launch(kernel, {.a = 1, .x = vector(x, 64), .b = 1, .y = vector(x, 63)});
          }) == "launch for axpby: x has 64 elements, y has 63");
    auto const norm = r.kernels.load(r.images.find(layernorm_2d::specialize({64}, host_arch)));
    array<half> const y(r.on, 640);
    using namespace layernorm_2d;
    auto const in = y.as<layernorm_2d::images>(X(8), C(80));
    CHECK(said_by([&] { r.stream.launch(norm, {.x = in, .y = in}); }) ==
          "launch for layernorm_2d channels=64 affine=true: x is 8 x 80, y 8 x 80, weight 0 and "
          "bias 0");
}

TEST_CASE("a capture within a capture is refused, and the next one goes well") {
    rig const r;
    CHECK(said_by([&] { r.stream.capture([&] { r.stream.capture([] {}); }); }) ==
          "capture for the host device: its stream is captured already");
    CHECK(!r.stream.is_captured());
    auto const x = r.put<float>(std::vector<float>(2, 1), "x");
    std::vector<float> const twos(2, 2);
    auto const writes = r.stream.capture([&] { r.stream.write(x, twos); });
    CHECK(r.get(x) == std::vector<float>(2, 1));
    r.stream.launch(writes);
    CHECK(r.get(x) == twos);
}

TEST_CASE("an array of more bytes than can be counted is refused") {
    rig const r;
    constexpr auto most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    CHECK(said_by([&] { array<float>(r.on, most + 1, "x"); }) ==
          "allocate for x: 4611686018427387904 elements are too many");
}
