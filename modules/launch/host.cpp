// The host as a device: what is asked of it is done at once.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tile/tensor_map.h"

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
    image from;
    explicit host_kernel(image const& i) : from(i) {}
};

struct host_graph : work_graph {
    std::vector<std::function<void()>> work;
};

// What is captured keeps its parameters by value, as a GPU's graph does.
struct host_queue : work_queue {
    std::unique_ptr<host_graph> capture;

    void do_or_capture(std::function<void()> work) {
        if (capture) {
            capture->work.push_back(std::move(work));
        } else {
            work();
        }
    }
    void write(void* to, std::span<std::byte const> from) override {
        if (from.empty()) return;
        do_or_capture([=] { std::memcpy(to, from.data(), from.size()); });
    }
    void read(std::span<std::byte> to, void const* from) override {
        if (to.empty()) return;
        do_or_capture([=] { std::memcpy(to.data(), from, to.size()); });
    }
    void launch(ready_kernel const& kernel, launch_shape const& over, void const* params) override {
        auto const& from = static_cast<host_kernel const&>(kernel).from;
        auto const run = [over](image const& of, void const* with) {
            auto const misuse = of.run(over, with);
            if (!misuse.empty())
                throw error(error_kind::misuse, "launch", "kernel " + of.spelled(), misuse);
        };
        if (!capture) return run(from, params);
        std::vector<tensor_map_words> kept(from.params_bytes / sizeof(tensor_map_words) + 1);
        std::memcpy(kept.data(), params, from.params_bytes);
        capture->work.push_back([=] { run(from, kept.data()); });
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
    explicit host_backend(host_machine m) : machine(m) {}

    std::string name() const override { return "the host device"; }
    spio::arch arch() const override { return host_arch; }
    std::shared_ptr<void> allocate(std::size_t bytes, std::string array) override {
        return {machine.allocate(bytes, std::move(array)), machine.release};
    }
    tensor_map_words encode(tensor_map_plan const& plan, void* base) override {
        tensor_map_words words = {};
        auto const why = machine.encode == nullptr ? "there is no copy engine"
                                                   : machine.encode(plan, base, words);
        if (!why.empty()) throw error(error_kind::invalid, "encode", "a tensor map", why);
        return words;
    }
    std::unique_ptr<ready_kernel const> load(image const& from) override {
        if (from.kind != image_kind::host || !from.run) {
            throw error(error_kind::unsupported, "load", "kernel " + from.spelled(),
                        "it is no image for the host");
        }
        return std::make_unique<host_kernel const>(from);
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
