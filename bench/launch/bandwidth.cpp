// axpby and LayerNorm against a copy of the same bytes, from memory and not from its cache.
// SPDX-License-Identifier: Apache-2.0
//
//     bench_bandwidth FOLDER [--sweep]     the folder keeps what was compiled
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <span>
#include <string>
#include <string_view>
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

constexpr std::size_t mebibyte = std::size_t{1} << 20;
// More than any chip's second-level cache, so that what comes back has left it.
constexpr std::size_t rotation_bytes = 512 * mebibyte;

struct bench {
    cuda::driver driver = cuda::driver();
    cuda::context context = cuda::context(driver.device(0));
    cuda::stream own = cuda::stream(context);
    cuda::event begun = cuda::event(context, cuda::timing::on);
    cuda::event ended = cuda::event(context, cuda::timing::on);
    runtime gpu;
    stream in;
    // Random bits that are no strange numbers, as halves or as floats.
    cuda::memory from, to;

    explicit bench(std::string const& folder)
        : gpu({.policy = policy::jit_only, .cache = kept_in(folder), .driver = &driver}),
          in(gpu.on(), cuda::stream_ref(own).handle()),
          from(context, 2 * rotation_bytes),
          to(context, 2 * rotation_bytes) {
        std::mt19937 random(1);
        std::vector<unsigned> block(4 * mebibyte);
        for (auto& each : block) each = (random() & 0x83ff83ff) | 0x3c003c00;
        auto const bytes = std::as_bytes(std::span(block));
        for (std::size_t at = 0; at < from.size(); at += bytes.size()) {
            cuda::copy(own, cuda::memory_ref(from).part(at, bytes.size()), bytes);
            cuda::copy(own, cuda::memory_ref(to).part(at, bytes.size()), bytes);
        }
        in.synchronize();
    }
    static cache::options kept_in(std::string const& folder) {
        cache::options how;
        how.folder = folder;
        return how;
    }
    std::byte* at(cuda::memory const& in, std::size_t offset) const {
        return reinterpret_cast<std::byte*>(in.address()) + offset;
    }

    // Microseconds of f(i) for i from 0 on, in a graph that goes through all the memory.
    template <class F> double microseconds(int rotations, F const& f) const {
        int const calls = rotations * std::max(1, 24 / rotations);
        auto const graph = in.capture([&] {
            for (int i = 0; i < calls; ++i) f(i % rotations);
        });
        std::vector<double> all;
        for (int round = 0; round < 33; ++round) {
            cuda::event_ref(begun).record(own);
            in.launch(graph);
            cuda::event_ref(ended).record(own);
            in.synchronize();
            all.push_back(1000.0 * cuda::event_ref(ended).milliseconds_since(begun) / calls);
        }
        std::ranges::nth_element(all, all.begin() + 16);
        return all[16];
    }
    // A copy that reads half of so many bytes, and writes them.
    double copy(std::size_t bytes, int rotations) const {
        auto const half = bytes / 2;
        return microseconds(rotations, [&](int i) {
            auto const offset = static_cast<std::size_t>(i) * half;
            cuda::copy(own, cuda::memory_ref(to).part(offset, half),
                       cuda::memory_ref(from).part(offset, half));
        });
    }
};

void print(char const* kernel, std::string const& problem, std::string const& config,
           std::size_t bytes, double microseconds, double of_copy) {
    std::printf(
        "{\"name\": \"bandwidth\", \"kernel\": \"%s\", \"problem\": \"%s\", "
        "\"config\": \"%s\", \"mib\": %zu, \"us\": %.2f, \"gb_s\": %.0f, \"copy_us\": %.2f, "
        "\"copy_gb_s\": %.0f, \"ratio\": %.4f}\n",
        kernel, problem.c_str(), config.c_str(), bytes / mebibyte, microseconds,
        static_cast<double>(bytes) / microseconds / 1000, of_copy,
        static_cast<double>(bytes) / of_copy / 1000, microseconds / of_copy);
    std::fflush(stdout);
}

int rotations_of(std::size_t bytes) {
    return static_cast<int>(std::max<std::size_t>(2, rotation_bytes / bytes));
}

// x is read, y is read and written; bytes is all of that.
void run_axpby(bench const& b, std::size_t bytes, axpby::config const& config, double of_copy) {
    int const n = static_cast<int>(bytes / 12 / 4096 * 4096);
    auto const size = static_cast<std::size_t>(n) * sizeof(float);
    auto const of = axpby::specialize({n}, config, b.gpu.arch());
    auto const kernel = b.gpu.load(of);
    double const spent = b.microseconds(rotations_of(bytes), [&](int i) {
        auto const offset = static_cast<std::size_t>(i) * size;
        auto const vector = [&](cuda::memory const& in) {
            return axpby::scalars(reinterpret_cast<float*>(b.at(in, offset)), axpby::N(n));
        };
        b.in.launch(kernel, {.a = 0.5f, .x = vector(b.from), .b = 0.25f, .y = vector(b.to)});
    });
    print("axpby", of.problem, of.config, bytes, spent, of_copy);
}

void run_layernorm(bench const& b, std::size_t bytes, int channels,
                   layernorm_2d::config const& config, double of_copy) {
    using namespace layernorm_2d;
    auto const row = static_cast<std::size_t>(channels) * 2;
    auto const positions = bytes / 2 / row;
    auto const of = layernorm_2d::specialize({channels}, config, b.gpu.arch());
    auto const kernel = b.gpu.load(of);
    array<float> const factors(b.gpu.on(), static_cast<std::size_t>(channels));
    b.in.write(factors, std::vector<float>(static_cast<std::size_t>(channels), 0.5f));
    auto const weight = factors.as<factors_to_read>(C(channels));
    double const spent = b.microseconds(rotations_of(bytes), [&](int i) {
        auto const offset = static_cast<std::size_t>(i) * positions * row;
        auto const all = [&](cuda::memory const& in) {
            return layernorm_2d::images(reinterpret_cast<half*>(b.at(in, offset)),
                                        X(static_cast<int>(positions)), C(channels));
        };
        b.in.launch(kernel, {.x = all(b.from), .y = all(b.to), .weight = weight, .bias = weight});
    });
    print("layernorm_2d", of.problem, of.config, bytes, spent, of_copy);
}

// Configurations of not too many idle lanes.
std::vector<layernorm_2d::config> candidates(int channels) {
    std::vector<layernorm_2d::config> all;
    int const needed = channels / 8;
    for (int lanes = 1; lanes <= 256; lanes += lanes < 32 ? lanes : 32) {
        int const vectors = (needed + lanes - 1) / lanes;
        if (vectors > 6 || lanes * vectors >= 2 * needed) continue;
        int const positions = lanes > 32 ? 1 : 128 / lanes;
        for (auto const& [stages, rounds] : {std::pair(2, 2), {2, 4}, {3, 4}}) {
            layernorm_2d::config const one = {lanes, vectors, positions, stages, rounds};
            if (one.fits({channels})) all.push_back(one);
        }
    }
    return all;
}

void go(std::string const& folder, bool sweeps) {
    bench const b(folder);
    for (std::size_t const mib : {64, 256}) {
        auto const bytes = mib * mebibyte;
        double const of_copy = b.copy(bytes, rotations_of(bytes));
        if (sweeps) {
            for (int const threads : {128, 256, 512}) {
                for (int const vectors : {1, 2, 4}) {
                    run_axpby(b, bytes, {threads, vectors}, of_copy);
                }
            }
        }
        run_axpby(b, bytes, axpby::best_config({static_cast<int>(bytes / 12)}), of_copy);
        for (int const channels : {64, 72, 120, 128, 256, 384, 512, 768, 1024, 1280, 1536, 2048}) {
            bool const is_power = (channels & (channels - 1)) == 0;
            if (sweeps && !is_power) {
                for (auto const& config : candidates(channels)) {
                    run_layernorm(b, bytes, channels, config, of_copy);
                }
            }
            run_layernorm(b, bytes, channels, layernorm_2d::best_config({channels}), of_copy);
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
