// Problems become results on the host device, by the calls that a GPU takes too.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
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

    template <class T> array<T> put(std::vector<T> const& values, std::string name) const {
        array<T> made(on, values.size(), std::move(name));
        stream.write(made, std::span<T const>(values));
        return made;
    }
    template <class T> std::vector<T> get(array<T> const& from) const {
        std::vector<T> values(from.size());
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

std::size_t run_axpby(rig const& r, int n, int as_if) {
    axpby::problem const problem = {.n = as_if};
    auto const config = axpby::best_config(problem);
    auto const spec = axpby::specialize(problem, config, r.on.arch());
    auto const kernel = r.kernels.load(r.images.find(spec));

    std::mt19937 random(static_cast<unsigned>(n));
    std::uniform_real_distribution<float> between(-2, 2);
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
    for (auto& each : x) each = between(random);
    for (auto& each : y) each = between(random);
    auto const expected = axpby::reference(1.5f, x, -0.3f, y);
    auto const on_x = r.put(x, "x"), on_y = r.put(y, "y");
    r.stream.launch(kernel, spec.over(axpby::grid(config, n)),
                    {.a = 1.5f, .x = on_x.data(), .b = -0.3f, .y = on_y.data(), .n = n});
    auto const got = r.get(on_y);
    for (std::size_t i = 0; i < got.size(); ++i) {
        double const bound = u * (std::abs(0.3 * y[i]) * 2 + std::abs(expected[i]) * 2);
        REQUIRE(std::abs(got[i] - expected[i]) <= bound);
    }
    return got.size();
}

std::size_t run_layernorm(rig const& r, layernorm_2d::problem const& problem, int positions) {
    auto const config = layernorm_2d::best_config(problem);
    auto const spec = layernorm_2d::specialize(problem, config, r.on.arch());
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
    auto const on_x = r.put(x, "x"), on_y = r.put(x, "y");
    auto const on_weight = r.put(weight, "weight"), on_bias = r.put(bias, "bias");
    r.stream.launch(kernel, spec.over(layernorm_2d::grid(config, positions)),
                    {.x = reinterpret_cast<half const*>(on_x.data()),
                     .y = reinterpret_cast<half*>(on_y.data()),
                     .weight = on_weight.data(),
                     .bias = on_bias.data(),
                     .epsilon = 1e-5f,
                     .positions = positions});
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
    CHECK(r.images.count().shipped == 19);
    std::cout << "figure: launch.host: " << r.stream.launched() << " launches of "
              << r.kernels.loaded() << " kernels, " << elements
              << " elements agree with fp64 within their bounds, " << spent.count() << " s\n";
}

TEST_CASE("a miss names the kernel, its problem, the architecture and the line to add") {
    rig const r;
    auto const spec = layernorm_2d::specialize({72}, "host");
    CHECK(said_by([&] { r.images.find(spec); }) ==
          "find for kernel layernorm_2d channels=72 affine=true for host (" + spec.symbol +
              "): no pack has it, and nothing else is asked under aot_only; the manifest line that "
              "adds it to a pack of host is: layernorm_2d channels=72 affine=true");
    CHECK(r.images.count().missed == 1);
}

TEST_CASE("a kernel that misuses the device is told for its specification") {
    rig const r;
    axpby::config const config = axpby::best_config({.n = 64});
    auto const spec = axpby::specialize({.n = 64}, config, "host");
    auto const kernel = r.kernels.load(r.images.find(spec));
    auto const x = r.put(std::vector<float>(64, 1), "x"), y = r.put(std::vector<float>(32, 1), "y");
    auto const said = said_by([&] {
        r.stream.launch(kernel, spec.over(axpby::grid(config, 64)),
                        {.a = 1, .x = x.data(), .b = 1, .y = y.data(), .n = 64});
    });
    CHECK(said.starts_with("launch for kernel axpby n=64 for host (" + spec.symbol +
                           ", from this program): "));
    CHECK(said.find("global out of bounds") != said.npos);
}

TEST_CASE("copies of other sizes, and kernels of another device, are refused") {
    rig const r, other;
    auto const x = r.put(std::vector<float>(64, 1), "x");
    std::vector<float> few(3);
    CHECK(said_by([&] { r.stream.read(std::span(few), x); }) ==
          "copy for the host device: 64 elements to 3");
    auto const spec = axpby::specialize({.n = 64}, "host");
    auto const kernel = other.kernels.load(other.images.find(spec));
    CHECK(said_by([&] { r.stream.launch(kernel, spec.over({1}), {}); }) ==
          "launch for the host device: the kernel was loaded on another device");
}
