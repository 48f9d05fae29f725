// Times launches of convolutions with a cold cache, and checks the results of their kernels.
// SPDX-License-Identifier: Apache-2.0
//
// A sweep measures many configurations of many layers, to train models that choose. A layer is the
// sizes of a convolution; a group of layers shares its kernels. The buffers are larger than the L2
// cache and used in turn, so that it is cold. A spec is what a kernel is compiled from. fprop is
// the forward pass, dgrad computes the gradient of the input, wgrad that of the filter.
#pragma once

#include "passes.h"
#include "plan.h"
#include "timing.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

import spio.cuda;
import spio.launch;
import spio.runtime;

namespace spio::bench {

using namespace conv2d;

// A GPU with buffers, on which kernels are prepared and layers are timed.
class measurement {
  public:
    explicit measurement(cuda::driver const& driver)
        : gpu({.driver = &driver}),
          context(driver.device(0)),
          own(context),
          queue(gpu.target_device(), cuda::stream_ref(own).handle()),
          inputs(context, arena_bytes),
          outputs(context, arena_bytes) {
        fill_with_values(own, inputs, arena_bytes);
    }

    std::string gpu_name() const { return gpu.target_device().name(); }
    spio::arch arch() const { return gpu.arch(); }

    // Compiles, loads and checks the kernels of a group. Wrong ones are noted in `out` and left
    // out.
    std::vector<swept_kernel> prepare(layer_group const& group, std::ostream& out) {
        auto const configs = choose_configs(group, gpu.arch());
        find_images(group.compiled(), configs);
        std::vector<swept_kernel> kernels;
        std::optional<expectation> expected;
        for (auto const& config : configs) {
            try {
                swept_kernel kernel = {
                    config, std::make_shared<pass_kernel const>(load(group.compiled(), config))};
                auto const wrong = check(group, kernel, expected);
                if (wrong.empty()) {
                    kernels.push_back(std::move(kernel));
                    continue;
                }
                out << "# wrong: " << group.words << " | " << config_text(config) << " | " << wrong
                    << '\n';
            } catch (error const& e) {
                out << "# failed: " << group.words << " | " << config_text(config) << '\n';
                std::fprintf(stderr, "%s\n", e.what());
            }
        }
        return kernels;
    }

    // Times a layer by all kernels that fit, and writes the times. Returns how many there are.
    // Those that a short measurement finds within 5 % of the fastest are measured again, for
    // longer.
    std::size_t measure(problem const& layer, std::span<swept_kernel const> kernels,
                        std::ostream& out) {
        struct result {
            swept_kernel const* kernel;
            double estimate, first, repeated = 0;
        };
        std::vector<result> results;
        double least_estimate = std::numeric_limits<double>::infinity();
        for (auto const& kernel : kernels) {
            if (!fits(layer, kernel.config)) continue;
            auto const estimate = explain(layer, kernel.config, gpu.arch()).microseconds;
            least_estimate = std::min(least_estimate, estimate);
            results.push_back({&kernel, estimate, 0});
        }
        std::erase_if(
            results, [&](auto const& r) { return r.estimate > slowest_measured * least_estimate; });
        for (auto& r : results) r.first = microseconds(layer, *r.kernel, 4);
        if (results.empty()) return 0;
        auto const best = std::ranges::min(results, {}, &result::first).first;
        for (auto& r : results) {
            if (r.first <= 1.05 * best) r.repeated = microseconds(layer, *r.kernel, 7);
        }
        std::string text = "problem " + text_of(layer) + '\n';
        for (auto const& r : results) {
            char times[64];
            std::snprintf(times, sizeof times, " | %.3f | %.3f\n", r.first, r.repeated);
            text += config_text(r.kernel->config) + times;
        }
        out << text;
        return results.size();
    }

  private:
    static constexpr std::size_t arena_bytes = 6ULL << 30;
    static constexpr unsigned least_launches = 5, most_launches = 96;

    runtime gpu;
    cuda::context context;
    cuda::stream own;
    stream queue;
    cuda::memory inputs, outputs;

    // The kernel of a configuration, compiled for this problem.
    pass_kernel load(problem const& compiled, config const& config) {
        if (compiled.pass == direction::wgrad) return weight_gradient(gpu, compiled, config);
        return convolution(gpu, compiled, config);
    }
    // Compiles the kernels of all configurations before one is loaded.
    void find_images(problem const& compiled, std::span<config const> configs) {
        std::vector<spec> specs;
        for (auto const& config : configs) {
            for (auto& spec : specs_of(compiled, config, gpu.arch())) {
                specs.push_back(std::move(spec));
            }
        }
        std::atomic<std::size_t> next = 0;
        std::vector<std::jthread> threads(8);
        for (auto& thread : threads) {
            thread = std::jthread([&] {
                for (std::size_t i; (i = next++) < specs.size();) {
                    try {
                        gpu.all_images().find(specs[i]);
                    } catch (error const&) { // reported when it is loaded
                    }
                }
            });
        }
    }

    // The median over replays of a graph, per launch. The launches take other tensors each, so many
    // that all have left the cache when their turn comes again.
    double microseconds(problem const& p, swept_kernel const& kernel, unsigned replays) {
        auto const bytes_read = rounded_up(input_bytes(p) + 2 * tensor_sizes(p).filter, 65536);
        auto const written = rounded_up(output_bytes(p, workspace_bytes(*kernel.pass)), 65536);
        auto const most = arena_bytes / std::max(bytes_read, written);
        auto const wanted = cache_bytes / tensor_sizes(p).moved() + 1;
        auto const sets = static_cast<unsigned>(
            std::min<std::size_t>(most, std::clamp<std::size_t>(wanted, 2, most_launches)));
        auto const launches = std::max(least_launches, sets);
        auto* const first_input = reinterpret_cast<std::byte*>(inputs.address());
        auto* const first_output = reinterpret_cast<std::byte*>(outputs.address());
        return cuda::microseconds_of_launch(own, launches, replays, [&](unsigned i) {
            auto* const input = first_input + i % sets * bytes_read;
            launch(queue, p, *kernel.pass,
                   {input, input + input_bytes(p), first_output + i % sets * written});
        });
    }

    // What a small layer of a group must give: its sums in double precision.
    struct expectation {
        problem layer;
        double_sums sums;
    };
    // Why the results of a kernel on a small layer are wrong; empty if they are right, or if the
    // kernel takes a single layer that is large. The image of 9 x 19 pixels is no multiple of any
    // block's; the expected sums of 8 MiB still take little time.
    std::string check(layer_group const& group, swept_kernel const& kernel,
                      std::optional<expectation>& expected) {
        auto const& compiled = group.compiled();
        auto small = compiled;
        if (!compiled.has_static_n()) small.n = 2;
        if (!compiled.has_static_image()) small.h = 9, small.w = 19;
        if (tensor_sizes(small).moved() > 8 << 20 || !fits(small, kernel.config)) return {};
        bool const is_gradient = small.pass == direction::wgrad;
        addresses const place = {reinterpret_cast<std::byte*>(inputs.address()),
                                 reinterpret_cast<std::byte*>(inputs.address()) +
                                     input_bytes(small),
                                 reinterpret_cast<std::byte*>(outputs.address())};
        if (!expected) expected = {small, expected_sums(small, place)};
        auto const& sums = expected->sums;
        std::vector<std::byte> results(sums.values.size() * (is_gradient ? 4 : 2));
        cuda::fill(own, cuda::memory_ref(outputs).part(0, rounded_up(results.size(), 4096)),
                   std::byte{0xff});
        launch(queue, small, *kernel.pass, place);
        cuda::copy(own, results, cuda::memory_ref(outputs).part(0, results.size()));
        own.synchronize();
        auto const products = products_of(small);
        auto const kind = is_gradient ? precision::fp32 : precision_of(small.type);
        for (std::size_t i = 0; i < sums.values.size(); ++i) {
            double const value = is_gradient
                                     ? value_of<float>(results, i)
                                     : number_of(value_of<unsigned short>(results, i), small.type);
            double const most = conv2d::bound(products, sums.values[i], sums.magnitudes[i], kind);
            if (!(std::abs(value - sums.values[i]) <= most)) {
                return "result " + std::to_string(i) + " is " + std::to_string(value) + ", not " +
                       std::to_string(sums.values[i]);
            }
        }
        return {};
    }
    // The value with this index among bytes that need not be aligned.
    template <class T> static T value_of(std::span<std::byte const> bytes, std::size_t index) {
        T value;
        std::memcpy(&value, &bytes[index * sizeof value], sizeof value);
        return value;
    }
    // The values at a place of the input buffer.
    template <class T> std::vector<T> download(std::byte const* place, std::size_t bytes) {
        std::vector<T> values(bytes / sizeof(T));
        auto const offset =
            static_cast<std::size_t>(place - reinterpret_cast<std::byte const*>(inputs.address()));
        cuda::copy(own, std::as_writable_bytes(std::span(values)),
                   cuda::memory_ref(inputs).part(offset, values.size() * sizeof(T)));
        own.synchronize();
        return values;
    }
    // The sums of the reference on the tensors that lie at these places.
    double_sums expected_sums(problem const& p, addresses const& place) {
        using bits = unsigned short;
        tensor_sizes const sizes(p);
        if (p.pass == direction::wgrad) {
            return reference_gradients(
                       p, download<bits>(place.input, sizes.x),
                       download<bits>(place.input + rounded_up(sizes.x, 4096), sizes.y))
                .filter;
        }
        auto const input = p.pass == direction::fprop ? sizes.x : sizes.y;
        auto const bias = p.bias ? download<float>(place.filter + sizes.filter, 4ULL * p.c)
                                 : std::vector<float>();
        return reference(p, download<bits>(place.input, input),
                         download<bits>(place.filter, sizes.filter), bias);
    }
};

} // namespace spio::bench
