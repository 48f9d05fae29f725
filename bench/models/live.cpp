// Measures what live tuning gains over the model's choice.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input.
//
//     models_live PLAN FOLDER
//
// PLAN is what plan.py writes; of each group of layers of fprop and dgrad it takes the first.
// FOLDER gets the cache and the file of measured configurations. A line for each layer has the
// launches until the fastest configuration was known, its time and that of the model's choice in
// graphs of launches whose tensors have left the cache, and how many of their results differ. A
// pass_kernel is a convolution that can be launched; input_bytes(), output_bytes() and
// tensor_sizes() are the bytes of a layer's tensors, and moved() is the sum for all of them.
#include "passes.h"
#include "plan.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

import spio.cache;
import spio.conv2d;
import spio.conv2d.launch;
import spio.cuda;
import spio.launch;
import spio.runtime;
import spio.spec;

namespace {

using namespace spio;
using namespace spio::bench;

// Memory for the tensors, of which launches take other parts in turn, so that none finds its own in
// the L2 cache.
constexpr std::size_t arena_bytes = 2ULL << 30;
constexpr int most_launches = 400; // until a choice must have been made

// Live tuning lets the first launches of a convolution try several configurations, and keeps the
// fastest. The counts of tiers say how many comparisons were begun and decided.
class live_measurement {
  public:
    live_measurement(cuda::driver const& driver, std::string const& folder)
        : gpu(options_of(driver, folder)),
          context(driver.device(0)),
          own(context),
          queue(gpu.target_device(), cuda::stream_ref(own).handle()),
          inputs(context, arena_bytes),
          outputs(context, arena_bytes) {
        fill_with_values(own, inputs, arena_bytes);
    }

    // Launches a layer until its choice is made, and prints its line.
    void measure(conv2d::problem const& layer) {
        conv2d::config const first = best_config(layer, gpu.arch());
        pass_kernel const tuned = conv2d::convolution(gpu, layer);
        gpu.finish_compilations();
        auto const start = gpu.count_tiers();
        int launches = 0;
        while (launches < most_launches) {
            launch_next(layer, tuned);
            // A program that works on: the GPU is never long without work.
            if (++launches % 8 == 0) own.synchronize();
            auto const now = gpu.count_tiers();
            if (now.compared == start.compared && launches > 1) break; // there is one candidate
            if (now.decided > start.decided) break;
        }
        own.synchronize();
        gpu.finish_compilations();
        auto const fastest = best_config(layer, gpu.arch(), gpu.configs());
        pass_kernel const chosen_first = conv2d::convolution(gpu, layer, first),
                          chosen_last = conv2d::convolution(gpu, layer, fastest);
        auto const wrong = differences(layer, chosen_first, chosen_last);
        double times[2] = {1e9, 1e9};
        for (int round = 0; round < 3; ++round) {
            times[0] = std::min(times[0], microseconds(layer, chosen_first));
            times[1] = std::min(times[1], microseconds(layer, chosen_last));
        }
        std::printf("%s | %d | %.3f | %.3f | %zu | %s | %s\n", text_of(layer).c_str(), launches,
                    times[0], times[1], wrong, config_text(first).c_str(),
                    config_text(fastest).c_str());
        std::fflush(stdout);
    }
    void tell_counts() const {
        auto const count = gpu.count_tiers();
        std::printf(
            "# compared %llu, decided %llu, recorded %llu, not recorded %llu, failed %llu\n",
            static_cast<unsigned long long>(count.compared),
            static_cast<unsigned long long>(count.decided),
            static_cast<unsigned long long>(count.recorded),
            static_cast<unsigned long long>(count.unrecorded),
            static_cast<unsigned long long>(count.failed));
    }

  private:
    runtime gpu;
    cuda::context context;
    cuda::stream own;
    stream queue;
    cuda::memory inputs, outputs;
    std::size_t number = 0; // of launches, which take other tensors each

    static runtime_options options_of(cuda::driver const& driver, std::string const& folder) {
        cache::options cache;
        cache.folder = folder + "/cache";
        return {.policy = policy::aot_then_jit,
                .live_tuning = true,
                .tuned_file = folder + "/tuned.txt",
                .cache = cache,
                .driver = &driver};
    }
    // The tensors of the launch with this index.
    addresses place_of(conv2d::problem const& p, std::size_t index) const {
        auto const input_size = rounded_up(input_bytes(p) + 2 * tensor_sizes(p).filter, 65536);
        auto const output_size = rounded_up(output_bytes(p, 0), 65536);
        auto const most = arena_bytes / std::max(input_size, output_size);
        auto const sets =
            std::clamp<std::size_t>(cache_bytes / tensor_sizes(p).moved() + 1, 2, most);
        auto* const input =
            reinterpret_cast<std::byte*>(inputs.address()) + index % sets * input_size;
        return {input, input + input_bytes(p),
                reinterpret_cast<std::byte*>(outputs.address()) + index % sets * output_size};
    }
    // Launches the kernel on the tensors whose turn it is.
    void launch_next(conv2d::problem const& p, pass_kernel const& kernel) {
        launch(queue, p, kernel, place_of(p, number++));
    }
    // The median time of a launch in a graph of many.
    double microseconds(conv2d::problem const& p, pass_kernel const& kernel) {
        auto const sets = cache_bytes / tensor_sizes(p).moved() + 1;
        auto const launches = static_cast<unsigned>(std::clamp<std::size_t>(sets, 5, 96));
        return cuda::microseconds_of_launch(own, launches, /*replays=*/7,
                                            [&](unsigned) { launch_next(p, kernel); });
    }
    // How many 16-bit results of two kernels differ on the same input.
    std::size_t differences(conv2d::problem const& p, pass_kernel const& a, pass_kernel const& b) {
        std::vector<std::uint16_t> results[2];
        for (int i = 0; i < 2; ++i) {
            results[i].resize(output_bytes(p, 0) / 2);
            auto const bytes = std::as_writable_bytes(std::span(results[i]));
            cuda::fill(own, cuda::memory_ref(outputs).part(0, bytes.size()), std::byte{0xff});
            launch(queue, p, i == 0 ? a : b, place_of(p, 0));
            cuda::copy(own, bytes, cuda::memory_ref(outputs).part(0, bytes.size()));
            own.synchronize();
        }
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < results[0].size(); ++i) wrong += results[0][i] != results[1][i];
        return wrong;
    }
};

} // namespace

int main(int count, char** words) {
    try {
        if (count != 3) throw std::runtime_error("the words must be PLAN FOLDER");
        cuda::driver const driver;
        live_measurement bench(driver, words[2]);
        for (auto const& group : read_plan(words[1])) {
            auto const& layer = group.layers.front();
            if (layer.pass != conv2d::direction::wgrad) bench.measure(layer);
        }
        bench.tell_counts();
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
