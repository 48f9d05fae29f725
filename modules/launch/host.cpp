// The host as a device: what is asked of it is done at once.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tile/tensor_map.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

module spio.launch;

import spio.image;
import spio.spec;

namespace spio {

namespace {

struct host_kernel : ready_kernel {
    image from;
    explicit host_kernel(image const& i) : from(i) {}
};

struct host_queue : work_queue {
    void write(void* to, std::span<std::byte const> from) override {
        if (!from.empty()) std::memcpy(to, from.data(), from.size());
    }
    void read(std::span<std::byte> to, void const* from) override {
        if (!to.empty()) std::memcpy(to.data(), from, to.size());
    }
    void launch(ready_kernel const& kernel, geometry const& over, void const* params) override {
        auto const& from = static_cast<host_kernel const&>(kernel).from;
        auto const misuse = from.run(over, params);
        if (!misuse.empty()) throw error("launch", "kernel " + from.spelled(), misuse);
    }
    void synchronize() override {}
};

struct host_backend : backend {
    host_memory memory;
    explicit host_backend(host_memory m) : memory(m) {}

    std::string name() const override { return "the host device"; }
    std::string arch() const override { return "host"; }
    std::shared_ptr<void> allocate(std::size_t bytes, std::string array) override {
        return {memory.allocate(bytes, std::move(array)), memory.release};
    }
    map_words encode(box_plan const& plan, void* base) override {
        map_words words = {};
        auto const why = memory.encode == nullptr ? "there is no copy engine"
                                                  : memory.encode(plan, base, words.of);
        if (!why.empty()) throw error("encode", "a tensor map", why);
        return words;
    }
    std::unique_ptr<ready_kernel const> load(image const& from) override {
        if (from.kind != image_kind::host || !from.run) {
            throw error("load", "kernel " + from.spelled(), "it is no image for the host");
        }
        return std::make_unique<host_kernel const>(from);
    }
    std::unique_ptr<work_queue> make_queue() override { return std::make_unique<host_queue>(); }
};

} // namespace

device host_device(host_memory memory) { return device(std::make_shared<host_backend>(memory)); }

} // namespace spio
