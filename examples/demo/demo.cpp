// Runs LayerNorm from a problem to checked results, with a kernel from a pack and one from NVRTC.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of kernels that were compiled with the program. NVRTC compiles at run time. A
// spec is what a kernel is compiled from; a policy says whether kernels come from packs or from a
// compiler. The host device simulates a GPU on the CPU. no_source stands for packs, or for a
// compiler, where there are none.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

import spio.aot;
import spio.cuda;
import spio.host;
import spio.image;
import spio.jit;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;
using layernorm_2d::C;
using layernorm_2d::X;

namespace {

constexpr int positions = 4096;

// Runs f, and prints how long that took.
template <class F> auto timed(F f) {
    auto const start = std::chrono::steady_clock::now();
    auto result = f();
    std::chrono::duration<double, std::milli> const spent =
        std::chrono::steady_clock::now() - start;
    std::printf("%9.2f ms  ", spent.count());
    return result;
}

// The first GPU, or the host device; kernels are compiled for a GPU in either case.
struct machine {
    std::unique_ptr<cuda::driver> driver;
    spio::device device;
    spio::arch arch; // that kernels are compiled for

    static machine found() {
        try {
            auto driver = std::make_unique<cuda::driver>();
            auto gpu = gpu_device(*driver, /*ordinal=*/0);
            std::printf("On %s (%s).\n", gpu.name().c_str(), text_of(gpu.arch()).c_str());
            auto const arch = gpu.arch();
            return {std::move(driver), std::move(gpu), arch};
        } catch (error const&) {
            std::printf(
                "There is no GPU here. Kernels are compiled for an H100 all the same (sm_90a), "
                "and run\non the host device, from the same text, with every load and store "
                "watched.\n");
            return {nullptr, host_device({host::allocate, host::release}), sm_90a};
        }
    }
    bool is_host() const { return device.arch().is_host; }
};

// The compiled kernel that runs on this machine: for the GPU, or for the host, which is built into
// this program.
typed_image<layernorm_2d::params>
image_for(machine const& machine, layernorm_2d::problem const& problem, images const& images) {
    auto const spec = layernorm_2d::specialize(problem, machine.arch);
    std::printf("\n%s, %d positions\n", spec.line().c_str(), positions);
    auto const image = timed([&] { return images.find(spec); });
    std::printf("%s for %s, %zu bytes, from %s\n", std::string(name_of(image.kind)).c_str(),
                text_of(image.arch).c_str(), image.bytes.size(), image.made_by.c_str());
    if (!machine.is_host()) return image;
    host::compiled_in const in_this_program;
    no_source const no_compiler;
    return spio::images(in_this_program, no_compiler, policy::aot_only)
        .find(layernorm_2d::specialize(problem, host_arch));
}

// Launches LayerNorm on random halves, and counts the results that rounding does not explain.
bool run(machine const& machine, layernorm_2d::problem const& problem, images const& images) {
    auto const image = image_for(machine, problem, images);
    auto const size = static_cast<std::size_t>(problem.channels) * positions;
    std::mt19937 random(2026);
    std::uniform_real_distribution<float> uniform(-2, 2);
    std::vector<unsigned short> x_values(size), y_values(size); // the bits of halves
    for (auto& each : x_values) each = static_cast<unsigned short>(0x3c00 | (random() & 0x83ff));
    std::vector<float> factors(static_cast<std::size_t>(problem.channels));
    for (auto& each : factors) each = uniform(random);

    array<half> const x(machine.device, size, "x"), y(machine.device, size, "y");
    array<float> const weight(machine.device, factors.size(), "weight"),
        bias(machine.device, factors.size(), "bias");
    stream const stream(machine.device);
    stream.write(x, std::span<unsigned short const>(x_values));
    stream.write(weight, std::span<float const>(factors));
    stream.write(bias, std::span<float const>(factors));
    stream.synchronize();

    kernels const kernels(machine.device);
    auto const kernel = timed([&] { return kernels.load(image); });
    std::printf("loaded on %s\n", machine.device.name().c_str());
    timed([&] {
        using layernorm_2d::factors_to_read;
        C const channels(problem.channels);
        kernel.launch(stream, {.x = x.as<layernorm_2d::images>(X(positions), channels),
                               .y = y.as<layernorm_2d::images>(X(positions), channels),
                               .weight = weight.as<factors_to_read>(channels),
                               .bias = bias.as<factors_to_read>(channels)});
        stream.synchronize();
        return 0;
    });
    std::printf("launched and waited for\n");
    stream.read(std::span(y_values), y);
    stream.synchronize();

    auto const exact = timed([&] {
        return layernorm_2d::reference(problem, x_values, factors, factors, /*epsilon=*/1e-5f);
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) {
        // The result is rounded to a half, after sums of some floats.
        double const bound = 0x1p-11 * std::abs(exact[i]) + 0x1p-14;
        wrong += !(std::abs(layernorm_2d::number_of(y_values[i]) - exact[i]) <= bound);
    }
    std::printf("compared with a reference in double: of %zu results %zu are wrong\n", size, wrong);
    return wrong == 0;
}

} // namespace

int main(int count, char** words) {
    try {
        auto const pack = aot::pack::read(
            count > 1 ? words[1]
                      : std::filesystem::path(words[0]).replace_filename("demo.spiopack"));
        auto const machine = machine::found();
        std::printf("\nThe pack, built with this program by %s\n",
                    pack.list().empty() ? "nobody" : pack.list()[0].compiler.c_str());
        for (auto const& each : pack.list()) {
            std::printf("              %s for %s, %zu bytes\n", each.line.c_str(),
                        each.arch.c_str(), static_cast<std::size_t>(each.size));
        }
        jit::just_in_time const compiler;
        images const images(pack, compiler, policy::aot_then_jit);
        // A problem that the pack has, and one that it lacks.
        bool is_right = run(machine, {.channels = 64}, images);
        is_right = run(machine, {.channels = 96}, images) && is_right;
        auto const count = images.count();
        std::printf("\nFrom the pack %d, from disk %d, compiled now %d.\n",
                    static_cast<int>(count.packed), static_cast<int>(count.disk),
                    static_cast<int>(count.compiled));
        return is_right ? 0 : 1;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "demo: %s\n", e.what());
        return 2;
    }
}
