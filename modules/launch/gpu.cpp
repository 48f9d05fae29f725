// A GPU as a device, by the driver.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tile/tensor_map.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

module spio.launch;

import spio.cuda;
import spio.image;
import spio.spec;

namespace spio {

namespace {

cuda::extent extent_of(extent const& e) {
    return {static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), static_cast<unsigned>(e.z)};
}

// Its kernels take one struct, of the size that the image says: anything else is another kernel.
cuda::kernel_ref checked(cuda::library const& in, cuda::context_ref const& on, image const& from) {
    auto const found = in.kernel(from.symbol);
    auto const parameters = found.parameters(on);
    if (parameters.size() == 1 && parameters[0].size == from.params_bytes) return found;
    std::string sizes;
    for (auto const& each : parameters) {
        sizes += (sizes.empty() ? "" : " and ") + std::to_string(each.size);
    }
    throw error("load", "kernel " + from.spelled(),
                "the driver says that it takes parameters of " + (sizes.empty() ? "0" : sizes) +
                    " bytes, not of " + std::to_string(from.params_bytes));
}

cuda::abi::tensor_promotion promotion_of(int bytes) {
    using enum cuda::abi::tensor_promotion;
    return bytes == 256 ? bytes_256 : bytes == 128 ? bytes_128 : bytes == 64 ? bytes_64 : none;
}

// The engine only copies elements: they are unsigned integers to it.
cuda::tensor_map_plan plan_of(box_plan const& plan) {
    using enum cuda::abi::tensor_element;
    using enum cuda::abi::tensor_swizzle;
    cuda::tensor_map_plan is = {.element = plan.element_bytes == 8   ? uint64
                                           : plan.element_bytes == 4 ? uint32
                                           : plan.element_bytes == 2 ? uint16
                                                                     : uint8,
                                .rank = plan.rank,
                                .swizzle = plan.swizzle == 128  ? bytes_128
                                           : plan.swizzle == 64 ? bytes_64
                                           : plan.swizzle == 32 ? bytes_32
                                                                : none,
                                .promotion = promotion_of(plan.fetched)};
    std::ranges::copy(plan.sizes, is.sizes);
    std::ranges::copy(plan.strides, is.strides);
    std::ranges::copy(plan.box, is.box);
    return is;
}

struct gpu_kernel : ready_kernel {
    cuda::library library;
    cuda::function_ref function;

    gpu_kernel(cuda::context_ref const& on, image const& from)
        : library(on.driver(), from.bytes, from.spelled(), from.keeper),
          function(ready(checked(library, on, from), on, from.shape.shared_bytes)) {}

    static cuda::function_ref ready(cuda::kernel_ref const& kernel, cuda::context_ref const& on,
                                    int shared_bytes) {
        constexpr int always_allowed = 48 * 1024;
        if (shared_bytes > always_allowed) kernel.allow_dynamic_shared(shared_bytes, on.device());
        return kernel.load(on);
    }
};

struct gpu_graph : work_graph {
    cuda::executable_graph graph;
    explicit gpu_graph(cuda::graph const& of) : graph(of) {}
};

struct gpu_queue : work_queue {
    std::optional<cuda::stream> own;
    cuda::stream_ref stream;
    explicit gpu_queue(cuda::context_ref on) : own(on), stream(*own) {}
    explicit gpu_queue(cuda::stream_ref borrowed) : stream(borrowed) {}

    static cuda::memory_ref at(void const* address, std::size_t bytes) {
        return {reinterpret_cast<cuda::abi::pointer>(address), bytes};
    }
    void write(void* to, std::span<std::byte const> from) override {
        if (!from.empty()) cuda::copy(stream, at(to, from.size()), from);
    }
    void read(std::span<std::byte> to, void const* from) override {
        if (!to.empty()) cuda::copy(stream, to, at(from, to.size()));
    }
    void launch(ready_kernel const& kernel, geometry const& over, void const* params) override {
        void* parameters[] = {const_cast<void*>(params)};
        cuda::launch(static_cast<gpu_kernel const&>(kernel).function,
                     {.grid = extent_of(over.grid),
                      .block = extent_of(over.shape.block),
                      .dynamic_shared = static_cast<unsigned>(over.shape.shared_bytes),
                      .cluster = extent_of(over.shape.cluster),
                      .overlaps_previous = over.shape.overlaps_previous},
                     stream, parameters);
    }
    void launch(work_graph const& graph) override {
        static_cast<gpu_graph const&>(graph).graph.launch(stream);
    }
    void synchronize() override { stream.synchronize(); }
    bool is_captured() override { return stream.capture() != cuda::abi::capture_status::none; }
    void begin_capture() override { cuda::begin_capture(stream); }
    std::unique_ptr<work_graph const> end_capture() override {
        return std::make_unique<gpu_graph const>(cuda::end_capture(stream));
    }
};

struct gpu_backend : backend {
    std::shared_ptr<cuda::driver const> driver;
    cuda::device_ref gpu;
    cuda::context context;
    std::string capability;

    gpu_backend(std::shared_ptr<cuda::driver const> by, int ordinal)
        : driver(std::move(by)),
          gpu(driver->device(ordinal)),
          context(gpu),
          capability(arch_of(gpu)) {}

    std::string name() const override { return gpu.spelled() + ", " + gpu.name(); }
    std::string arch() const override { return capability; }
    std::shared_ptr<void> allocate(std::size_t bytes, std::string) override {
        auto const memory = std::make_shared<cuda::memory>(context, bytes > 0 ? bytes : 1);
        return {memory, reinterpret_cast<void*>(memory->address())};
    }
    map_words encode(box_plan const& plan, void* base) override {
        auto const bytes =
            plan.rank < 1 ? 0 : plan.sizes[plan.rank - 1] * plan.strides[plan.rank - 1];
        cuda::memory_ref const memory(reinterpret_cast<cuda::abi::pointer>(base),
                                      static_cast<std::size_t>(bytes));
        return bits_as<map_words>(cuda::encode(context, plan_of(plan), memory));
    }
    std::unique_ptr<ready_kernel const> load(image const& from) override {
        if (from.kind == image_kind::host) {
            throw error("load", "kernel " + from.spelled(), "it is for the host, not for a GPU");
        }
        return std::make_unique<gpu_kernel const>(context, from);
    }
    std::unique_ptr<work_queue> make_queue() override {
        return std::make_unique<gpu_queue>(context);
    }
    std::unique_ptr<work_queue> borrow_queue(void* stream) override {
        auto const handle = static_cast<cuda::abi::stream>(stream);
        // The default streams are of whichever context is current.
        if (handle == nullptr || handle == cuda::stream_ref::legacy(context).handle()) {
            return std::make_unique<gpu_queue>(cuda::stream_ref::legacy(context));
        }
        if (handle == cuda::stream_ref::per_thread(context).handle()) {
            return std::make_unique<gpu_queue>(cuda::stream_ref::per_thread(context));
        }
        auto const is = cuda::stream_ref::of(gpu.driver(), handle);
        if (is.context().handle() != cuda::context_ref(context).handle()) {
            throw error("borrow", "a stream", "it is not of the primary context of " + name());
        }
        return std::make_unique<gpu_queue>(is);
    }
};

} // namespace

std::string arch_of(cuda::device_ref const& gpu) {
    auto const is = gpu.capability();
    // What only this chip has, its kernels may use.
    return "sm_" + std::to_string(is.major) + std::to_string(is.minor) + (is.major >= 9 ? "a" : "");
}

device gpu_device(std::shared_ptr<cuda::driver const> driver, int ordinal) {
    return device(std::make_shared<gpu_backend>(std::move(driver), ordinal));
}

device gpu_device(cuda::driver const& driver, int ordinal) {
    return gpu_device(std::shared_ptr<cuda::driver const>(std::shared_ptr<void>(), &driver),
                      ordinal);
}

} // namespace spio
