// Runs kernels of a pack (a file of compiled kernels), on a GPU or on the host, and compiles none.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; the policy aot_only takes kernels from packs alone.
// no_source stands for packs, or for a compiler, where there are none. host_value<T> is what the
// host has for T: T, or the bits of a half.
//
//     deploy           the pack is deploy.spiopack beside the program, or else the one in it
//     deploy PACK      the pack is this file
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.host;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

namespace axpby = spio::axpby;
namespace layernorm_2d = spio::layernorm_2d;

// Written into the program by spio_add_pack().
extern "C" std::byte const in_the_program[], in_the_program_end[];
extern "C" unsigned char const pack_digest[32];

static spio::aot::pack open_pack(int count, char** words) {
    auto const neighbour =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "deploy.spiopack";
    if (count > 1) return spio::aot::pack::read(words[1]);
    if (std::filesystem::exists(neighbour)) return spio::aot::pack::read(neighbour, pack_digest);
    return {{in_the_program, in_the_program_end}, "in the program", {}};
}

constexpr spio::host_machine the_host = {spio::host::allocate, spio::host::release};

// A device with the compiled kernels and the stream that a launch on it takes.
struct launcher {
    spio::device device;
    spio::images const& images;
    spio::kernels kernels{device};
    spio::stream stream{device};

    template <class T> spio::array<T> put(std::vector<spio::host_value<T>> const& values) const {
        spio::array<T> memory(device, values.size());
        stream.write(memory, std::span<spio::host_value<T> const>(values));
        return memory;
    }
    template <class T> std::vector<spio::host_value<T>> get(spio::array<T> const& memory) const {
        std::vector<spio::host_value<T>> values(memory.size());
        stream.read(std::span(values), memory);
        stream.synchronize();
        return values;
    }
    // Prints the greatest error; whether it is small enough.
    bool report(spio::image const& ran, double error, double most) const {
        std::printf("%s on %s: %s, error %.2g\n", ran.line.c_str(), device.name().c_str(),
                    ran.made_by.c_str(), error);
        return error <= most;
    }
};

// Whether the results are right for vectors of n numbers, compared with sums in double.
static bool run_axpby(launcher const& launcher, int n) {
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 17) - 8;
        y[i] = static_cast<float>(i % 13) / 13;
    }
    auto const image = launcher.images.find(axpby::specialize({.n = n}, launcher.device.arch()));
    auto const expected = axpby::reference(1.5f, x, -0.25f, y);
    auto const device_x = launcher.put<float>(x), device_y = launcher.put<float>(y);
    auto const view = [&](auto const& memory) {
        return memory.template as<axpby::scalars>(axpby::N(n));
    };
    launcher.stream.launch(launcher.kernels.load(image),
                           {.a = 1.5f, .x = view(device_x), .b = -0.25f, .y = view(device_y)});
    double error = 0;
    auto const result = launcher.get(device_y);
    for (std::size_t i = 0; i < result.size(); ++i) {
        error = std::max(error, std::abs(result[i] - expected[i]));
    }
    return launcher.report(image, error, 1e-5);
}

// Whether the results are right for images of so many positions.
static bool run_layernorm(launcher const& launcher, layernorm_2d::problem const& problem,
                          int positions) {
    auto const channels = static_cast<std::size_t>(problem.channels);
    std::vector<unsigned short> x(static_cast<std::size_t>(positions) * channels); // from 1 to 2
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<unsigned short>(0x3c00 + i * 37 % 1024);
    }
    std::vector<float> const weight(problem.affine ? channels : 0, 0.5f), bias(weight.size(), 1);
    auto const image =
        launcher.images.find(layernorm_2d::specialize(problem, launcher.device.arch()));
    auto const expected = layernorm_2d::reference(problem, x, weight, bias, /*epsilon=*/1e-5f);
    auto const device_x = launcher.put<spio::half>(x), device_y = launcher.put<spio::half>(x);
    auto const device_weight = launcher.put<float>(weight), device_bias = launcher.put<float>(bias);
    auto const c = layernorm_2d::C(problem.channels);
    auto const view = [&](auto const& memory) {
        return memory.template as<layernorm_2d::images>(layernorm_2d::X(positions), c);
    };
    layernorm_2d::params params = {.x = view(device_x), .y = view(device_y), .epsilon = 1e-5f};
    if (problem.affine) {
        params.weight = device_weight.as<layernorm_2d::factors_to_read>(c);
        params.bias = device_bias.as<layernorm_2d::factors_to_read>(c);
    }
    launcher.stream.launch(launcher.kernels.load(image), params);
    double error = 0;
    auto const result = launcher.get(device_y);
    for (std::size_t i = 0; i < result.size(); ++i) {
        error = std::max(error, std::abs(layernorm_2d::number_of(result[i]) - expected[i]));
    }
    return launcher.report(image, error, 2e-3);
}

int main(int count, char** words) try {
    auto const pack = open_pack(count, words);
    pack.verify();
    spio::host::compiled_in const for_host;
    spio::first_of const shipped(pack, for_host);
    spio::no_source const no_compiler;
    spio::images const images(shipped, no_compiler, spio::policy::aot_only);
    launcher const launcher{spio::best_device(0, the_host), images};

    bool const is_right = run_axpby(launcher, 100'000) &&
                          run_layernorm(launcher, {.channels = 64}, 300) &&
                          run_layernorm(launcher, {.channels = 512, .affine = false}, 50);
    // A problem that no pack has is an error.
    try {
        images.find(layernorm_2d::specialize({.channels = 72}, launcher.device.arch()));
    } catch (spio::error const& e) {
        std::printf("%s\n", e.what());
        return is_right ? 0 : 1;
    }
    return 1;
} catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
