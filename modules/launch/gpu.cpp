// A GPU as a device, by CUDA's driver: what memory, kernels, graphs and streams are there.
// SPDX-License-Identifier: Apache-2.0
//
// A backend is a device, a GPU or the host device (a simulated GPU), behind the calls that both
// have. An image is a compiled kernel; a ready kernel is one that is loaded. A queue runs the work
// of a stream. The plan of a tensor map says all but its address. A keeper owns the memory that
// something refers to.
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

// The kernel of an image. Throws unless its parameter, a struct, has the size that the image
// states.
cuda::kernel_ref checked_kernel(cuda::library const& library, cuda::context_ref const& context,
                                image const& image) {
    auto const kernel = library.kernel(image.symbol);
    auto const size = kernel.first_parameter(context).size;
    if (size == image.params_bytes) return kernel;
    throw error(error_kind::invalid, "load", "kernel " + image.spelled(),
                "the driver says that it takes parameters of " + std::to_string(size) +
                    " bytes, not of " + std::to_string(image.params_bytes));
}

struct gpu_kernel : ready_kernel {
    cuda::library library;
    cuda::function_ref function;

    gpu_kernel(cuda::context_ref const& context, image const& image)
        : library(context.driver(), image.bytes, image.spelled(), image.keeper),
          function(load(checked_kernel(library, context, image), context, image.shape)) {}

    // Loads the kernel into the context. More dynamic shared memory than usual must be asked for,
    // and clusters of more blocks than every chip with clusters can run.
    static cuda::function_ref load(cuda::kernel_ref const& kernel, cuda::context_ref const& context,
                                   block_shape const& shape) {
        constexpr int always_allowed = 48 * 1024, portable_cluster = 8;
        if (shape.shared_bytes > always_allowed) {
            kernel.allow_dynamic_shared(shape.shared_bytes, context.device());
        }
        if (shape.cluster.count() > portable_cluster) {
            kernel.allow_large_clusters(context.device());
        }
        return kernel.load(context);
    }
};

struct gpu_graph : work_graph {
    cuda::executable_graph graph;
    explicit gpu_graph(cuda::graph const& captured) : graph(captured) {}
};

struct gpu_queue : work_queue {
    std::optional<cuda::stream> own;
    cuda::stream_ref stream;
    explicit gpu_queue(cuda::context_ref context) : own(context), stream(*own) {}
    explicit gpu_queue(cuda::stream_ref borrowed) : stream(borrowed) {}

    // Device memory at an address, for the functions of spio.cuda.
    static cuda::memory_ref memory(void const* address, std::size_t bytes) {
        return {reinterpret_cast<cuda::abi::pointer>(address), bytes};
    }
    void write(void* destination, std::span<std::byte const> source) override {
        if (!source.empty()) cuda::copy(stream, memory(destination, source.size()), source);
    }
    void read(std::span<std::byte> destination, void const* source) override {
        if (!destination.empty()) {
            cuda::copy(stream, destination, memory(source, destination.size()));
        }
    }
    void launch(ready_kernel const& kernel, launch_shape const& shape,
                void const* params) override {
        void* parameters[] = {const_cast<void*>(params)};
        cuda::launch(static_cast<gpu_kernel const&>(kernel).function, shape, stream, parameters);
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

struct gpu_timer : work_timer {
    cuda::event first, last;
    explicit gpu_timer(cuda::context_ref context)
        : first(context, cuda::timing::on), last(context, cuda::timing::on) {}

    static void record(cuda::event_ref const& event, work_queue& queue) {
        event.record(static_cast<gpu_queue&>(queue).stream);
    }
    void begin(work_queue& queue) override { record(first, queue); }
    void end(work_queue& queue) override { record(last, queue); }
    std::optional<double> milliseconds() override {
        cuda::event_ref const end(last);
        cuda::capture_exemption const exempt(end.context().driver());
        if (!end.is_done()) return {};
        return end.milliseconds_since(first);
    }
};

struct gpu_backend : backend {
    std::shared_ptr<cuda::driver const> driver;
    cuda::device_ref gpu;
    cuda::context context;
    spio::arch gpu_arch;

    gpu_backend(std::shared_ptr<cuda::driver const> opened, int ordinal)
        : driver(std::move(opened)),
          gpu(driver->device(ordinal)),
          context(gpu),
          gpu_arch(arch_of(gpu)) {}

    std::string name() const override { return gpu.spelled() + ", " + gpu.name(); }
    spio::arch arch() const override { return gpu_arch; }
    std::shared_ptr<void> allocate(std::size_t bytes, std::string) override {
        auto const memory = std::make_shared<cuda::memory>(context, bytes > 0 ? bytes : 1);
        return {memory, reinterpret_cast<void*>(memory->address())};
    }
    tensor_map_words encode(tensor_map_plan const& plan, void* base) override {
        bool const has_rank = plan.rank >= 1 && plan.rank <= 5;
        auto const bytes =
            has_rank ? checked_size(plan.sizes[plan.rank - 1]) * plan.strides[plan.rank - 1]
                     : checked_size(0);
        cuda::memory_ref const memory(reinterpret_cast<cuda::abi::pointer>(base),
                                      static_cast<std::size_t>(bytes.value));
        return cuda::encode(context, plan, memory);
    }
    std::unique_ptr<ready_kernel const> load(image const& image) override {
        if (image.kind == image_kind::host) {
            throw error(error_kind::unsupported, "load", "kernel " + image.spelled(),
                        "it is for the host, not for a GPU");
        }
        return std::make_unique<gpu_kernel const>(context, image);
    }
    std::unique_ptr<work_queue> make_queue() override {
        return std::make_unique<gpu_queue>(context);
    }
    std::unique_ptr<work_timer> make_timer() override {
        return std::make_unique<gpu_timer>(context);
    }
    std::unique_ptr<work_queue> borrow_queue(void* stream) override {
        auto const handle = static_cast<cuda::abi::stream>(stream);
        // The default streams belong to the current context.
        if (handle == nullptr || handle == cuda::stream_ref::legacy(context).handle()) {
            return std::make_unique<gpu_queue>(cuda::stream_ref::legacy(context));
        }
        if (handle == cuda::stream_ref::per_thread(context).handle()) {
            return std::make_unique<gpu_queue>(cuda::stream_ref::per_thread(context));
        }
        auto const foreign = cuda::stream_ref::of(gpu.driver(), handle);
        if (foreign.context().handle() != cuda::context_ref(context).handle()) {
            throw error(error_kind::invalid, "borrow", "a stream",
                        "it is not of the primary context of " + name());
        }
        return std::make_unique<gpu_queue>(foreign);
    }
};

} // namespace

arch arch_of(cuda::device_ref const& gpu) {
    auto const capability = gpu.capability();
    // The suffix a allows kernels to use features that only this chip has.
    return {.number = 10 * capability.major + capability.minor,
            .suffix = capability.major >= 9 ? 'a' : '\0'};
}

device gpu_device(std::shared_ptr<cuda::driver const> driver, int ordinal) {
    return device(std::make_shared<gpu_backend>(std::move(driver), ordinal));
}

device gpu_device(cuda::driver const& driver, int ordinal) {
    return gpu_device(std::shared_ptr<cuda::driver const>(std::shared_ptr<void>(), &driver),
                      ordinal);
}

} // namespace spio
