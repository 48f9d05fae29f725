// Launches kernels through spio.cuda for PyTorch, which has its own context and memory.
// SPDX-License-Identifier: Apache-2.0
//
// A shared library with a C interface. Each function but launcher_error() returns 0 if it
// succeeded. Memory is handed over by address; the context is the caller's current one. An image is
// a compiled file of kernels; the plan of a tensor map says all of it but the tensor's address.
#include "spio/launch_values.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

import spio.cuda;

namespace {

namespace cuda = spio::cuda;

std::string last_error;

// Returns 0, or 1 if f() threw an exception, whose message is kept for launcher_error().
template <class F> int try_to(F f) {
    try {
        f();
        return 0;
    } catch (std::exception const& e) {
        last_error = e.what();
        return 1;
    }
}

cuda::driver const& the_driver() {
    static cuda::driver const driver;
    return driver;
}

cuda::context_ref current_context() {
    auto const context = cuda::context_ref::current(the_driver());
    if (!context) throw std::runtime_error("the caller has no current context");
    return *context;
}

// An image (cubin or PTX) as a library of the driver, which keeps the text alive.
cuda::library load(char const* path) {
    std::ifstream file(path, std::ios::binary);
    auto const image = std::make_shared<std::string const>(std::istreambuf_iterator<char>(file),
                                                           std::istreambuf_iterator<char>());
    if (image->empty()) throw std::runtime_error(std::string("cannot read ") + path);
    // PTX ends with the zero behind the string.
    std::span const text(image->c_str(), image->size() + 1);
    return {the_driver(), std::as_bytes(text), path, image};
}

// A kernel on the GPU, as the caller keeps it by its address.
struct loaded_kernel {
    cuda::library library;
    cuda::function_ref function;
    spio::launch_shape shape;
};

} // namespace

extern "C" {

// What the driver says about a loaded kernel, of a thread and of a multiprocessor.
struct kernel_figures {
    int registers, local_bytes, blocks_per_multiprocessor;
};

__attribute__((visibility("default"))) char const* launcher_error() { return last_error.c_str(); }

// Loads a kernel of an image; it stays loaded until the process ends.
__attribute__((visibility("default"))) int launcher_load(char const* path, char const* symbol,
                                                         spio::launch_shape const* shape,
                                                         loaded_kernel** result) {
    return try_to([&] {
        auto library = load(path);
        auto const context = current_context();
        auto const kernel = library.kernel(symbol);
        kernel.allow_dynamic_shared(shape->shape.shared_bytes, context.device());
        if (shape->shape.cluster.count() > 8) kernel.allow_large_clusters(context.device());
        auto const function = kernel.load(context);
        *result = new loaded_kernel{std::move(library), function, *shape};
    });
}

// The registers and local memory of a thread, and how many blocks fit on a multiprocessor.
__attribute__((visibility("default"))) int launcher_figures(loaded_kernel const* kernel,
                                                            kernel_figures* result) {
    return try_to([&] {
        auto const& [block, cluster, shared_bytes, overlaps_previous] = kernel->shape.shape;
        auto const& function = kernel->function;
        *result = {.registers = function.attribute(cuda::abi::function_attribute::registers),
                   .local_bytes = function.attribute(cuda::abi::function_attribute::local_bytes),
                   .blocks_per_multiprocessor = function.blocks_per_multiprocessor(
                       block.count(), static_cast<std::size_t>(shared_bytes))};
    });
}

// The tensor map's 128 bytes, for a tensor at this address.
__attribute__((visibility("default"))) int launcher_encode(spio::tensor_map_plan const* plan,
                                                           std::uint64_t address, void* words) {
    return try_to([&] {
        auto const map =
            cuda::encode(current_context(), *plan, cuda::memory_ref(address, /*bytes=*/1));
        std::memcpy(words, &map, sizeof map);
    });
}

// The kernel's one parameter is given by its bytes; the stream is a CUstream, null for the default
// one.
__attribute__((visibility("default"))) int
launcher_launch(loaded_kernel const* kernel, void* params, void* stream, int overlaps_previous) {
    return try_to([&] {
        auto shape = kernel->shape;
        shape.shape.overlaps_previous = overlaps_previous != 0;
        void* parameters[] = {params};
        auto const context = current_context();
        auto const handle = static_cast<cuda::abi::stream>(stream);
        cuda::launch(kernel->function, shape,
                     handle == nullptr ? cuda::stream_ref::legacy(context)
                                       : cuda::stream_ref(context, handle),
                     parameters);
    });
}
}
