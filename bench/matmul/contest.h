// The kernels of one product in turn: their times, and how far their results are from each other.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a product; a body is one of the two kernel templates that
// take one, wgmma and cp_async. The products' factors are bfloat16 numbers.
// Include it after the imports that machine.h names, and spio.matmul and spio.matmul.launch.
#pragma once

#include "cublas.h"
#include "machine.h"
#include "options.h"
#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spio::bench {

// A kernel that computes a product. Sets of buffers, with the factors and the result of one launch
// each, take turns; launch(i) takes the i-th of them.
struct contestant {
    std::string name, config;
    bool is_chosen;
    double estimate;
    std::function<void(int)> launch;
};

inline double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The problem whose kernels take any sizes: each configuration is compiled once.
inline matmul::problem any_sizes(matmul::problem problem) {
    problem.made_for = matmul::known_sizes::none;
    return problem;
}

// Measures products by kernels of Spio, of cuBLAS and of cuBLASLt in turn, and compares the times.
class contest {
  public:
    contest(machine const& machine, options const& options)
        : machine_(machine),
          options_(options),
          blas_(machine.stream_handle(), address_in(machine.workspace, 0), 32 * mebibyte),
          lt_(machine.stream_handle(), address_in(machine.workspace, 32 * mebibyte),
              32 * mebibyte) {}

    int blas_version() const { return blas_.version(); }

    // Measures all kernels of a shape.
    void run(std::string const& set, shape const& shape) {
        auto const& p = shape.problem;
        product_buffers const buffers(machine_, p, options_.rotation, options_.most_sets);
        auto contestants = ours(p, buffers);
        contestants.push_back({"cublas", /*config=*/"", /*is_chosen=*/true, /*estimate=*/0,
                               [&](int i) { blas_.launch(p, buffers.args(i)); }});
        auto const prepared = lt_.prepare(p, buffers.args(0));
        contestants.push_back({"cublaslt", /*config=*/"", /*is_chosen=*/true, /*estimate=*/0,
                               [&](int i) { prepared.launch(buffers.args(i)); }});

        // All sets equally often, and some 8 calls at least.
        int const calls = buffers.sets * std::max(1, 8 / buffers.sets);
        std::vector<graph> graphs;
        std::vector<double> differences;
        auto const expected = result(contestants[contestants.size() - 2], buffers);
        for (auto const& each : contestants) {
            differences.push_back(difference(result(each, buffers), expected));
            graphs.push_back(machine_.stream.capture([&] {
                for (int i = 0; i < calls; ++i) each.launch(i % buffers.sets);
            }));
        }
        // Of each kernel: its times when the GPU is as warm as its work makes it, and those of
        // bursts, single replays after a rest, in which neither heat nor power holds it back.
        std::vector<std::vector<round_time>> times(contestants.size());
        std::vector<std::vector<double>> bursts(contestants.size());
        std::vector<std::size_t> order(contestants.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        for (int round = 0; round < options_.rounds; ++round) {
            std::ranges::shuffle(order, random_);
            for (auto const i : order) {
                times[i].push_back(machine_.time(graphs[i], calls, options_.seconds));
                if (options_.seconds >= 0.05) { // beside sustained rounds alone
                    bursts[i].push_back(machine_.burst(graphs[i], calls));
                }
            }
        }
        if (options_.prints_times) return print_times(shape, contestants, differences, times);
        if (options_.prints_table) {
            print_row(set, shape, contestants, differences, times);
            for (auto const& each : contestants) {
                if (options_.repeats > 0) repeat(shape, each, buffers);
            }
            return;
        }
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            print(set, shape, contestants[i], differences[i], times[i], bursts[i]);
            if (options_.repeats > 0) repeat(shape, contestants[i], buffers);
        }
    }

  private:
    machine const& machine_;
    options const& options_;
    cublas blas_;
    cublas_lt lt_;
    std::mt19937 random_{1};
    std::map<std::string, matmul::product> products_;

    // So many bytes behind the beginning of memory.
    static void* address_in(cuda::memory const& memory, std::size_t offset) {
        return reinterpret_cast<std::byte*>(memory.address()) + offset;
    }
    // Of each body the configuration that is chosen, and then others, if they are asked for.
    std::vector<contestant> ours(matmul::problem const& p, product_buffers const& buffers) {
        std::vector<contestant> contestants;
        for (auto const& [config, is_chosen] : configs_of(p, machine_.gpu.arch(), options_)) {
            add(p, config, is_chosen, buffers, contestants);
        }
        for (auto const& text : options_.configs) {
            add(p, matmul::parse_config(text), /*is_chosen=*/false, buffers, contestants);
        }
        return contestants;
    }
    // The estimated time in microseconds.
    double estimate(matmul::problem const& p, matmul::config const& config) const {
        return matmul::explain(p, config, machine_.gpu.arch()).microseconds;
    }
    // Adds a kernel, if it can be compiled.
    void add(matmul::problem const& p, matmul::config const& config, bool is_chosen,
             product_buffers const& buffers, std::vector<contestant>& contestants) {
        auto const text = matmul::config_text(config);
        try {
            auto found = products_.find(text);
            if (found == products_.end()) {
                matmul::product product(machine_.gpu, any_sizes(p), config);
                found = products_.emplace(text, std::move(product)).first;
            }
            auto const& product = found->second;
            contestants.push_back(
                {text.substr(0, text.find(' ')), text, is_chosen, estimate(p, config),
                 [&](int set) { product.launch(machine_.stream, buffers.args(set)); }});
        } catch (std::exception const& failed) {
            std::fprintf(stderr, "%s: %s\n", text.c_str(), failed.what());
        }
    }
    // The first and the last results, at most 65536 of each.
    std::vector<unsigned short> result(contestant const& kernel, product_buffers const& buffers) {
        auto const size = buffers.results(), count = std::min<std::size_t>(size, 65536);
        std::vector<unsigned short> bits(2 * count);
        auto const bytes = std::as_writable_bytes(std::span(bits));
        cuda::fill(machine_.driver_stream, buffers.d(0), std::byte{0xff});
        kernel.launch(0);
        cuda::copy(machine_.driver_stream, bytes.first(2 * count), buffers.d(0).part(0, 2 * count));
        cuda::copy(machine_.driver_stream, bytes.last(2 * count),
                   buffers.d(0).part(2 * (size - count), 2 * count));
        machine_.stream.synchronize();
        return bits;
    }
    // Runs a kernel many times, and prints how often its results had the bits of the first ones.
    void repeat(shape const& shape, contestant const& kernel, product_buffers const& buffers) {
        auto const first = result(kernel, buffers);
        int equal = 0;
        for (int i = 0; i < options_.repeats; ++i) equal += result(kernel, buffers) == first;
        if (options_.prints_table && equal == options_.repeats) return;
        std::printf("{\"name\": \"repeated\", \"shape\": \"%s\", \"kernel\": \"%s\", "
                    "\"runs\": %d, \"same_bits\": %d}\n",
                    shape.name.c_str(),
                    (kernel.config.empty() ? kernel.name : kernel.config).c_str(), options_.repeats,
                    equal);
    }
    // The distance of two results over the length of the second.
    static double difference(std::vector<unsigned short> const& got,
                             std::vector<unsigned short> const& expected) {
        double distance = 0, length = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            double const y = matmul::number_of(expected[i], matmul::factor_type::bf16);
            double const error = matmul::number_of(got[i], matmul::factor_type::bf16) - y;
            distance += error * error;
            length += y * y;
        }
        return std::sqrt(distance / length);
    }
    // The least times of all kernels of a shape, in one line.
    static void print_row(std::string const& set, shape const& shape,
                          std::vector<contestant> const& contestants,
                          std::vector<double> const& differences,
                          std::vector<std::vector<round_time>> const& times) {
        auto const& p = shape.problem;
        std::printf("{\"name\": \"row\", \"set\": \"%s\", \"shape\": \"%s\", \"m\": %d, \"n\": %d, "
                    "\"k\": %d, \"us\": {",
                    set.c_str(), shape.name.c_str(), p.m, p.n, p.k);
        std::size_t worst = 0;
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            if (!(differences[i] <= differences[worst])) worst = i;
            auto const& name =
                contestants[i].config.empty() ? contestants[i].name : contestants[i].config;
            auto const least = std::ranges::min(times[i], {}, &round_time::microseconds);
            std::printf("%s\"%s\": %.3f", i == 0 ? "" : ", ", name.c_str(), least.microseconds);
        }
        std::printf("}, \"difference\": %.1e, \"farthest\": \"%s\"}\n", differences[worst],
                    contestants[worst].config.c_str());
        std::fflush(stdout);
    }
    // The times of a shape as bench/models/train.py reads them; libraries stand in comments.
    static void print_times(shape const& shape, std::vector<contestant> const& contestants,
                            std::vector<double> const& differences,
                            std::vector<std::vector<round_time>> const& times) {
        std::printf("problem %s\n", text_of(any_sizes(shape.problem)).c_str());
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            auto const& [name, config, is_chosen, estimate, launch] = contestants[i];
            auto const least = std::ranges::min(times[i], {}, &round_time::microseconds);
            bool const is_right = differences[i] < 0.01;
            std::printf("%s%s | %.3f | 0\n",
                        config.empty() ? "# library: "
                        : is_right     ? ""
                                       : "# wrong: ",
                        (config.empty() ? name : config).c_str(), least.microseconds);
        }
        std::fflush(stdout);
    }
    // The median time of a kernel, and that of every round with the GPU's power and clock.
    void print(std::string const& set, shape const& shape, contestant const& kernel,
               double difference, std::vector<round_time> const& times,
               std::vector<double> const& bursts) const {
        auto const& p = shape.problem;
        double const work = 2e-6 * p.m * p.n * p.k; // TFLOP/s times microseconds
        std::vector<double> values;
        std::string rounds;
        for (auto const& time : times) {
            values.push_back(time.microseconds);
            char text[80];
            std::snprintf(text, sizeof text, "%s[%.3f, %u, %u]", rounds.empty() ? "" : ", ",
                          time.microseconds, time.sensors.watts, time.sensors.megahertz);
            rounds += text;
        }
        double const time = median(values);
        std::printf(
            "{\"name\": \"product\", \"set\": \"%s\", \"shape\": \"%s\", \"m\": %d, \"n\": %d, "
            "\"k\": %d, \"kernel\": \"%s\", \"config\": \"%s\", \"chosen\": %s, "
            "\"estimate\": %.2f, \"us\": %.3f, \"tflops\": %.1f, ",
            set.c_str(), shape.name.c_str(), p.m, p.n, p.k, kernel.name.c_str(),
            kernel.config.c_str(), kernel.is_chosen ? "true" : "false", kernel.estimate, time,
            work / time);
        if (!bursts.empty()) std::printf("\"burst_tflops\": %.1f, ", work / median(bursts));
        std::printf("\"difference\": %.1e, \"rounds\": [%s]}\n", difference, rounds.c_str());
        std::fflush(stdout);
    }
};

} // namespace spio::bench
