// Times the way from a new shape to its first result, from a pack, from the disk or by NVRTC.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from, an image a compiled kernel. A policy says whether
// images may come from packs or from NVRTC.
//
//     bench_first_result FOLDER [PACK]
//
// FOLDER keeps the kernels that NVRTC compiles here. With PACK, a file of compiled kernels, nothing
// is compiled. A typed_spec is a spec with the type of its parameters.
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.cache;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.runtime;
import spio.spec;

using namespace spio;

namespace {

// milliseconds() returns the time since its last call, or since the start.
struct watch {
    using clock = std::chrono::steady_clock;
    clock::time_point start = clock::now();

    double milliseconds() {
        std::chrono::duration<double, std::milli> const spent = clock::now() - start;
        start = clock::now();
        return spent.count();
    }
};

// Times each step, `open_ms` being that of the runtime itself, up to the result of a first launch.
// The tensors are empty, so that the kernel's own time does not count.
template <class Params>
void time(runtime const& gpu, typed_spec<Params> const& spec, Params const& params,
          char const* name, double open_ms) {
    stream const stream(gpu.target_device());
    array<float> const y(gpu.target_device(), 1);
    std::vector<float> result(1);
    stream.read(std::span(result), y);
    stream.synchronize();
    watch total, step;
    auto const image = gpu.all_images().find(spec);
    double const find_ms = step.milliseconds();
    auto const kernel = gpu.all_kernels().load(image);
    double const load_ms = step.milliseconds();
    stream.launch(kernel, params);
    stream.read(std::span(result), y);
    stream.synchronize();
    double const launch_ms = step.milliseconds();
    std::printf("{\"name\": \"first_result\", \"kernel\": \"%s\", \"from\": \"%s\", "
                "\"runtime_ms\": %.3f, \"find_ms\": %.3f, \"load_ms\": %.3f, \"launch_ms\": %.3f, "
                "\"all_ms\": %.3f, \"image_bytes\": %zu}\n",
                name, name_of(image.found).data(), open_ms, find_ms, load_ms, launch_ms,
                total.milliseconds(), image.bytes.size());
}

// Times each step of a first launch, with images from the pack, or compiled into the folder.
void go(char const* folder, char const* pack) {
    cache::options options;
    options.folder = folder;
    watch opening;
    std::vector<aot::pack> packs;
    if (pack != nullptr) packs.push_back(aot::pack::read(pack));
    runtime const gpu({.packs = packs,
                       .policy = pack != nullptr ? policy::aot_only : policy::jit_only,
                       .cache = options});
    double const open_ms = opening.milliseconds();
    array<float> const floats(gpu.target_device(), 64);
    array<half> const halves(gpu.target_device(), 64);
    auto const no_floats = floats.as<axpby::scalars>(axpby::N(0));
    time(gpu, axpby::specialize({.n = 1000}, gpu.arch()),
         axpby::params{.a = 1, .x = no_floats, .b = 0, .y = no_floats}, "axpby", open_ms);
    using namespace layernorm_2d;
    auto const no_halves = halves.as<layernorm_2d::images>(X(0), C(64));
    auto const factors = floats.as<factors_to_read>(C(64));
    time(gpu, layernorm_2d::specialize({64}, gpu.arch()),
         layernorm_2d::params{.x = no_halves, .y = no_halves, .weight = factors, .bias = factors},
         "layernorm_2d", open_ms);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: bench_first_result FOLDER [PACK]\n"), 2;
    try {
        go(argv[1], argc > 2 ? argv[2] : nullptr);
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
