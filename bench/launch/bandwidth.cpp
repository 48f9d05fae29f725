// axpby and LayerNorm against a copy of the same bytes, from memory and not from its cache.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. A policy says whether kernels may come from packs (files of them) or from NVRTC.
//
//     bench_bandwidth FOLDER [--sweep]
//
// FOLDER keeps the kernels that NVRTC compiles here. With --sweep many configurations are measured,
// not only those that Spio chooses.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.launch;
import spio.layernorm_2d;
import spio.runtime;
import spio.spec;

using namespace spio;

namespace {

// In bytes.
constexpr std::size_t mebibyte = std::size_t{1} << 20;
// Larger than the second-level cache of any chip, so that each round begins with a cold cache.
constexpr std::size_t rotation_bytes = 512 * mebibyte;

// The GPU, and memory from which each measurement takes its tensors, in rotation: `rotations`
// pieces one after the other, so that none is in the cache when its turn comes again.
struct bench {
    cuda::driver driver = cuda::driver();
    cuda::context context = cuda::context(driver.device(0));
    cuda::stream driver_stream = cuda::stream(context);
    cuda::event begun = cuda::event(context, cuda::timing::on);
    cuda::event ended = cuda::event(context, cuda::timing::on);
    runtime gpu;
    spio::stream stream;
    // Random bits that are normal numbers, as halves and as floats.
    cuda::memory source, target;

    explicit bench(std::string const& folder)
        : gpu({.policy = policy::jit_only, .cache = options_in(folder), .driver = &driver}),
          stream(gpu.target_device(), cuda::stream_ref(driver_stream).handle()),
          source(context, 2 * rotation_bytes),
          target(context, 2 * rotation_bytes) {
        std::mt19937 random(1);
        std::vector<unsigned> block(4 * mebibyte);
        // Pairs of halves of either sign, from 1 to less than 2.
        for (auto& each : block) each = (random() & 0x83ff83ff) | 0x3c003c00;
        auto const bytes = std::as_bytes(std::span(block));
        for (std::size_t offset = 0; offset < source.size(); offset += bytes.size()) {
            cuda::copy(driver_stream, cuda::memory_ref(source).part(offset, bytes.size()), bytes);
            cuda::copy(driver_stream, cuda::memory_ref(target).part(offset, bytes.size()), bytes);
        }
        stream.synchronize();
    }
    static cache::options options_in(std::string const& folder) {
        cache::options options;
        options.folder = folder;
        return options;
    }
    std::byte* bytes_at(cuda::memory const& memory, std::size_t offset) const {
        return reinterpret_cast<std::byte*>(memory.address()) + offset;
    }

    // The median time of a call of f(i), in microseconds. A graph calls f with each rotation, so
    // that all of the memory is used between two calls with the same one; it has some 24 calls, so
    // that the time between its events is long enough to be measured.
    template <class F> double microseconds(int rotations, F const& f) const {
        int const calls = rotations * std::max(1, 24 / rotations);
        auto const graph = stream.capture([&] {
            for (int i = 0; i < calls; ++i) f(i % rotations);
        });
        constexpr int rounds = 33;
        std::vector<double> times;
        for (int round = 0; round < rounds; ++round) {
            cuda::event_ref(begun).record(driver_stream);
            stream.launch(graph);
            cuda::event_ref(ended).record(driver_stream);
            stream.synchronize();
            times.push_back(1000.0 * cuda::event_ref(ended).milliseconds_since(begun) / calls);
        }
        auto const middle = times.begin() + rounds / 2;
        std::ranges::nth_element(times, middle);
        return *middle;
    }
    // The time of a copy that moves these bytes: it reads half as many and writes half as many.
    double copy(std::size_t bytes, int rotations) const {
        auto const half = bytes / 2;
        return microseconds(rotations, [&](int i) {
            auto const offset = static_cast<std::size_t>(i) * half;
            cuda::copy(driver_stream, cuda::memory_ref(target).part(offset, half),
                       cuda::memory_ref(source).part(offset, half));
        });
    }
};

// Prints a measurement as a line of JSON; `bytes` counts each tensor of the kernel once for each
// time that it is read or written.
void print(char const* kernel, std::string const& problem, std::string const& config,
           std::size_t bytes, double microseconds, double copy_time) {
    std::printf(
        "{\"name\": \"bandwidth\", \"kernel\": \"%s\", \"problem\": \"%s\", "
        "\"config\": \"%s\", \"mib\": %zu, \"us\": %.2f, \"gb_s\": %.0f, \"copy_us\": %.2f, "
        "\"copy_gb_s\": %.0f, \"ratio\": %.4f}\n",
        kernel, problem.c_str(), config.c_str(), bytes / mebibyte, microseconds,
        static_cast<double>(bytes) / microseconds / 1000, copy_time,
        static_cast<double>(bytes) / copy_time / 1000, microseconds / copy_time);
    std::fflush(stdout);
}

// How many pieces of `bytes` bytes are used in rotation.
int rotations_of(std::size_t bytes) {
    return static_cast<int>(std::max<std::size_t>(2, rotation_bytes / bytes));
}

// Times axpby, where `bytes` counts the reads of x and y and the writes of y.
void run_axpby(bench const& b, std::size_t bytes, axpby::config const& config, double copy_time) {
    // 12 bytes an element: x and y are read, y is written, all floats; whole blocks of 4096.
    int const n = static_cast<int>(bytes / 12 / 4096 * 4096);
    auto const size = static_cast<std::size_t>(n) * sizeof(float);
    auto const spec = axpby::specialize({n}, config, b.gpu.arch());
    auto const kernel = b.gpu.load(spec);
    double const time = b.microseconds(rotations_of(bytes), [&](int i) {
        auto const offset = static_cast<std::size_t>(i) * size;
        auto const vector = [&](cuda::memory const& memory) {
            return axpby::scalars(reinterpret_cast<float*>(b.bytes_at(memory, offset)),
                                  axpby::N(n));
        };
        b.stream.launch(kernel,
                        {.a = 0.5f, .x = vector(b.source), .b = 0.25f, .y = vector(b.target)});
    });
    print("axpby", spec.problem, spec.config, bytes, time, copy_time);
}

// Times LayerNorm, where `bytes` counts the reads of x and the writes of y.
void run_layernorm(bench const& b, std::size_t bytes, int channels,
                   layernorm_2d::config const& config, double copy_time) {
    using namespace layernorm_2d;
    auto const row = static_cast<std::size_t>(channels) * 2;
    auto const positions = bytes / 2 / row;
    auto const spec = layernorm_2d::specialize({channels}, config, b.gpu.arch());
    auto const kernel = b.gpu.load(spec);
    array<float> const factors(b.gpu.target_device(), static_cast<std::size_t>(channels));
    b.stream.write(factors, std::vector<float>(static_cast<std::size_t>(channels), 0.5f));
    auto const weight = factors.as<factors_to_read>(C(channels));
    double const time = b.microseconds(rotations_of(bytes), [&](int i) {
        auto const offset = static_cast<std::size_t>(i) * positions * row;
        auto const images_view = [&](cuda::memory const& memory) {
            return layernorm_2d::images(reinterpret_cast<half*>(b.bytes_at(memory, offset)),
                                        X(static_cast<int>(positions)), C(channels));
        };
        b.stream.launch(kernel, {.x = images_view(b.source),
                                 .y = images_view(b.target),
                                 .weight = weight,
                                 .bias = weight});
    });
    print("layernorm_2d", spec.problem, spec.config, bytes, time, copy_time);
}

// Configurations of LayerNorm for --sweep, in which less than half of the lanes are idle.
std::vector<layernorm_2d::config> candidates(int channels) {
    std::vector<layernorm_2d::config> configs;
    int const needed = channels / 8;
    for (int lanes = 1; lanes <= 256; lanes += lanes < 32 ? lanes : 32) {
        int const vectors = (needed + lanes - 1) / lanes;
        if (vectors > 6 || lanes * vectors >= 2 * needed) continue;
        int const positions = lanes > 32 ? 1 : 128 / lanes;
        for (auto const& [stages, rounds] : {std::pair(2, 2), {2, 4}, {3, 4}}) {
            layernorm_2d::config const config = {.lanes = lanes,
                                                 .vectors = vectors,
                                                 .positions = positions,
                                                 .stages = stages,
                                                 .rounds = rounds};
            if (config.fits({channels})) configs.push_back(config);
        }
    }
    return configs;
}

// Prints a line of JSON for each size and kernel. A sweep tries every configuration of axpby.
void go(std::string const& folder, bool sweeps) {
    bench const b(folder);
    for (std::size_t const mib : {64, 256}) {
        auto const bytes = mib * mebibyte;
        double const copy_time = b.copy(bytes, rotations_of(bytes));
        if (sweeps) {
            for (int const threads : {128, 256, 512}) {
                for (int const vectors : {1, 2, 4}) {
                    run_axpby(b, bytes, {.threads = threads, .vectors = vectors}, copy_time);
                }
            }
        }
        run_axpby(b, bytes, axpby::best_config({static_cast<int>(bytes / 12)}), copy_time);
        for (int const channels : {64, 72, 120, 128, 256, 384, 512, 768, 1024, 1280, 1536, 2048}) {
            bool const is_power = (channels & (channels - 1)) == 0;
            if (sweeps && !is_power) {
                for (auto const& config : candidates(channels)) {
                    run_layernorm(b, bytes, channels, config, copy_time);
                }
            }
            run_layernorm(b, bytes, channels, layernorm_2d::best_config({channels}), copy_time);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: bench_bandwidth FOLDER [--sweep]\n"), 2;
    try {
        go(argv[1], argc > 2 && std::string_view(argv[2]) == "--sweep");
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
}
