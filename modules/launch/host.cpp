// The host as a device: work is done during the call that asks for it.
// SPDX-License-Identifier: Apache-2.0
//
// The host is the host device: a GPU that is simulated on the CPU. A backend is a device behind the
// calls that GPUs and the host have in common. An image is a compiled kernel, and a queue runs the
// work of a stream. A misuse breaks a rule of the GPU, and ends the launch with a report. The plan
// of a tensor map says all but its address.
module;

#include "spio/tile/tensor_map.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.launch;

import spio.image;
import spio.spec;

namespace spio {

namespace {

struct host_kernel : ready_kernel {
    spio::image image;
    explicit host_kernel(spio::image const& image) : image(image) {}
};

struct host_graph : work_graph {
    std::vector<std::function<void()>> work;
};

// A queue of the host. Captured launches keep copies of their parameters, as in a graph of a GPU.
struct host_queue : work_queue {
    std::unique_ptr<host_graph> capture;

    void do_or_capture(std::function<void()> work) {
        if (capture) {
            capture->work.push_back(std::move(work));
        } else {
            work();
        }
    }
    void write(void* destination, std::span<std::byte const> source) override {
        if (source.empty()) return;
        do_or_capture([=] { std::memcpy(destination, source.data(), source.size()); });
    }
    void read(std::span<std::byte> destination, void const* source) override {
        if (destination.empty()) return;
        do_or_capture([=] { std::memcpy(destination.data(), source, destination.size()); });
    }
    void launch(ready_kernel const& kernel, launch_shape const& shape,
                void const* params) override {
        auto const& image = static_cast<host_kernel const&>(kernel).image;
        auto const run = [shape](spio::image const& host_image, void const* values) {
            auto const misuse = host_image.run(shape, values);
            if (!misuse.empty()) {
                // Behind the sentence is a drawing of the block's threads.
                auto const end = std::min(misuse.find('\n'), misuse.size());
                throw error(error_kind::misuse, "launch", "kernel " + host_image.spelled(),
                            misuse.substr(0, end), misuse.substr(std::min(end + 1, misuse.size())));
            }
        };
        if (!capture) return run(image, params);
        // The parameters are copied to aligned memory, because there may be tensor maps among them.
        std::vector<tensor_map_words> values(image.params_bytes / sizeof(tensor_map_words) + 1);
        std::memcpy(values.data(), params, image.params_bytes);
        capture->work.push_back([=] { run(image, values.data()); });
    }
    void launch(work_graph const& graph) override {
        for (auto const& work : static_cast<host_graph const&>(graph).work) do_or_capture(work);
    }
    void synchronize() override {
        if (capture)
            throw error(error_kind::invalid, "synchronize", "the host device",
                        "its stream is captured");
    }
    bool is_captured() override { return capture != nullptr; }
    void begin_capture() override {
        if (capture)
            throw error(error_kind::invalid, "capture", "the host device",
                        "its stream is captured already");
        capture = std::make_unique<host_graph>();
    }
    std::unique_ptr<work_graph const> end_capture() override {
        if (!capture)
            throw error(error_kind::invalid, "capture", "the host device",
                        "its stream is not captured");
        return std::move(capture);
    }
};

struct host_backend : backend {
    host_machine machine;
    explicit host_backend(host_machine const& functions) : machine(functions) {}

    std::string name() const override { return "the host device"; }
    spio::arch arch() const override { return host_arch; }
    std::shared_ptr<void> allocate(std::size_t bytes, std::string array) override {
        return {machine.allocate(bytes, std::move(array)), machine.release};
    }
    tensor_map_words encode(tensor_map_plan const& plan, void* base) override {
        tensor_map_words words = {};
        auto const reason = machine.encode == nullptr ? "there is no copy engine"
                                                      : machine.encode(plan, base, words);
        if (!reason.empty()) {
            throw error(error_kind::invalid, "encode", "a tensor map", reason);
        }
        return words;
    }
    std::unique_ptr<ready_kernel const> load(image const& image) override {
        if (image.kind != image_kind::host || !image.run) {
            throw error(error_kind::unsupported, "load", "kernel " + image.spelled(),
                        "it is no image for the host");
        }
        return std::make_unique<host_kernel const>(image);
    }
    std::unique_ptr<work_queue> make_queue() override { return std::make_unique<host_queue>(); }
    std::unique_ptr<work_queue> borrow_queue(void*) override {
        throw error(error_kind::invalid, "borrow", "a stream",
                    "the host device has none of the driver's");
    }
};

} // namespace

device host_device(host_machine machine) { return device(std::make_shared<host_backend>(machine)); }

} // namespace spio
