// A GPU with random factors in its memory, and times of work on it.
// SPDX-License-Identifier: Apache-2.0
//
// Include it after `import spio.cuda; import spio.launch; import spio.runtime;`.
#pragma once

#include "sensors.h"
#include "shapes.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace spio::bench {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
// What one kernel took: microseconds of a call, with the clock and the power read meanwhile.
struct round_time {
    double microseconds;
    reading sensors;
};

// The GPU, and what measuring on it takes.
struct machine {
    cuda::driver driver = cuda::driver();
    cuda::context context = cuda::context(driver.device(0));
    cuda::stream driver_stream = cuda::stream(context);
    cuda::event begun = cuda::event(context, cuda::timing::on);
    cuda::event ended = cuda::event(context, cuda::timing::on);
    runtime gpu;
    spio::stream stream;
    // Random normal bfloat16 numbers, and memory for results and for other libraries.
    cuda::memory factors, results, workspace;
    bench::sensors gauge = bench::sensors(driver.device(0).uuid());

    machine(std::string const& folder, std::size_t bytes)
        : gpu({.policy = policy::jit_only, .cache = cached_in(folder), .driver = &driver}),
          stream(gpu.target_device(), cuda::stream_ref(driver_stream).handle()),
          factors(context, bytes),
          results(context, bytes),
          workspace(context, 64 * mebibyte) {
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        std::vector<unsigned short> block(8 * mebibyte + 64); // no power of two
        for (auto& number : block) {
            number = static_cast<unsigned short>(std::bit_cast<unsigned>(normal(random)) >> 16);
        }
        auto const source = std::as_bytes(std::span(block));
        for (std::size_t offset = 0; offset < bytes; offset += source.size()) {
            auto const size = std::min(source.size(), bytes - offset);
            cuda::copy(driver_stream, cuda::memory_ref(factors).part(offset, size),
                       source.first(size));
        }
        stream.synchronize();
    }
    // A cache of compiled kernels in this folder.
    static cache::options cached_in(std::string const& folder) {
        cache::options options;
        options.folder = folder;
        return options;
    }
    void* stream_handle() const { return cuda::stream_ref(driver_stream).handle(); }

    // Runs a graph again and again for at least so many seconds.
    round_time time(graph const& graph, int calls, double seconds) const {
        double const single = std::max(milliseconds(graph, /*replays=*/1), 1e-3);
        int const replays = std::max(1, static_cast<int>(std::ceil(1000 * seconds / single)));
        reading sensors;
        double const total = milliseconds(graph, replays, [&] {
            if (seconds < 0.02) return; // a reading takes some milliseconds
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 2));
            sensors = gauge.read();
        });
        return {1000 * total / replays / calls, sensors};
    }
    // The time of a call after the GPU has rested: a burst of the calls in a graph.
    double burst(graph const& graph, int calls) const {
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        return 1000 * milliseconds(graph, /*replays=*/1) / calls;
    }

  private:
    // The time of so many launches of a graph; meanwhile() is called while they run.
    template <class Meanwhile>
    double milliseconds(graph const& graph, int replays, Meanwhile const& meanwhile) const {
        cuda::event_ref(begun).record(driver_stream);
        for (int i = 0; i < replays; ++i) stream.launch(graph);
        cuda::event_ref(ended).record(driver_stream);
        meanwhile();
        stream.synchronize();
        return cuda::event_ref(ended).milliseconds_since(begun);
    }
    double milliseconds(graph const& graph, int replays) const {
        return milliseconds(graph, replays, [] {});
    }
};

// The matrices of a product in the machine's memory, in as many sets as are used in turn until
// `rotation` bytes have been touched: more than the second-level cache has.
class product_buffers {
  public:
    product_buffers(machine const& machine, matmul::problem const& p, std::size_t rotation,
                    std::size_t most_sets)
        : machine_(machine), p_(p) {
        // Each matrix begins at a multiple of 256 bytes.
        auto const bytes = [](long long rows, long long columns, int size) {
            return static_cast<std::size_t>((rows * columns * size + 255) / 256 * 256);
        };
        a_bytes_ = bytes(p.m, p.k, 2);
        b_bytes_ = bytes(p.k, p.n, 2);
        d_bytes_ = bytes(p.m, p.n, p.result_bytes());
        auto const set = a_bytes_ + b_bytes_;
        auto const needed = rotation / (set + d_bytes_) + 1;
        auto const room = std::min(machine.factors.size() / set, machine.results.size() / d_bytes_);
        if (room < 1) throw std::runtime_error(sizes_text(p) + " is larger than the memory");
        sets = static_cast<int>(std::clamp<std::size_t>(needed, 2, most_sets));
        sets = std::min(sets, static_cast<int>(room));
    }
    int sets;
    // The number of elements of the result, and one of the arrays for it.
    std::size_t results() const {
        return static_cast<std::size_t>(p_.m) * static_cast<std::size_t>(p_.n);
    }
    // The results of a set, and the arguments of a launch with its matrices.
    cuda::memory_ref d(int set) const {
        return cuda::memory_ref(machine_.results)
            .part(static_cast<std::size_t>(set) * d_bytes_, d_bytes_);
    }
    matmul::args args(int set) const {
        auto const address = [](cuda::memory const& memory, std::size_t offset) {
            return reinterpret_cast<std::byte*>(memory.address()) + offset;
        };
        auto const first = static_cast<std::size_t>(set) * (a_bytes_ + b_bytes_);
        bool const a_by_rows = p_.a == matmul::order::rows, b_by_rows = p_.b == matmul::order::rows;
        return {.sizes = {p_.m, p_.n, p_.k, /*batch=*/1},
                .a = {address(machine_.factors, first), a_by_rows ? p_.k : p_.m, /*batch=*/0},
                .b = {address(machine_.factors, first + a_bytes_), b_by_rows ? p_.n : p_.k,
                      /*batch=*/0},
                .d = {address(machine_.results, static_cast<std::size_t>(set) * d_bytes_), p_.n,
                      /*batch=*/0}};
    }

  private:
    machine const& machine_;
    matmul::problem p_;
    std::size_t a_bytes_, b_bytes_, d_bytes_;
};

} // namespace spio::bench
