// Kernels: found in an image, made ready on a device, and launched.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/launch_values.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

export module spio.cuda:kernel;

import :abi;
import :entries;
import :driver;
import :device;
import :stream;

export namespace spio {
using spio::block_shape;
using spio::extent;
using spio::launch_shape;
} // namespace spio

export namespace spio::cuda {

class kernel_ref;

// An image, loaded: a cubin, a fatbin or PTX. It belongs to no context; devices get it when they
// need it. Whoever gave the image keeps the bytes for as long as this lives, or gives a keeper.
class library {
  public:
    library(driver const&, std::span<std::byte const> image, std::string name,
            std::shared_ptr<void const> keeper = {});

    cuda::driver const& driver() const { return *owned.get_deleter().of; }
    abi::library handle() const { return owned.get(); }
    std::string const& name() const { return owned.get_deleter().name; }
    kernel_ref kernel(std::string symbol) const;

  private:
    struct release {
        cuda::driver const* of;
        std::string name;
        void operator()(abi::library) const noexcept;
    };
    std::shared_ptr<void const> kept;
    std::unique_ptr<abi::library_object, release> owned;
};

// Where a parameter of a kernel lies.
struct parameter {
    std::size_t offset, size;
    friend bool operator==(parameter const&, parameter const&) = default;
};

class function_ref;

// A kernel of a library, of no device in particular.
class kernel_ref {
  public:
    // Not of a null handle.
    kernel_ref(cuda::driver const& of, abi::kernel is, std::string symbol);

    cuda::driver const& driver() const { return *driver_pointer; }
    abi::kernel handle() const { return kernel_handle; }
    std::string const& name() const { return symbol; }

    // As the compiler laid them out. The driver tells it in a context only.
    std::vector<parameter> parameters(context_ref const&) const;
    int attribute(abi::function_attribute, device_ref const&) const;
    void set_attribute(abi::function_attribute, int value, device_ref const&) const;
    // To be called once for a device, before a launch with more than 48 KiB.
    void allow_dynamic_shared(int bytes, device_ref const&) const;
    // Puts it into the context now. A launch would do so too, but not while a graph is captured.
    function_ref load(context_ref const&) const;

  private:
    cuda::driver const* driver_pointer;
    abi::kernel kernel_handle;
    std::string symbol;
};

// A kernel in a context.
class function_ref {
  public:
    function_ref(context_ref of, abi::function is, std::string symbol);

    context_ref const& context() const { return home; }
    abi::function handle() const { return function_handle; }
    std::string const& name() const { return symbol; }

    int attribute(abi::function_attribute) const;
    // How many of its blocks a multiprocessor runs at once.
    int blocks_per_multiprocessor(int threads, std::size_t dynamic_shared) const;

  private:
    context_ref home;
    abi::function function_handle;
    std::string symbol;
};

// In the stream's order; one pointer to each parameter. Nothing is allocated, locked or looked up.
void launch(function_ref const&, launch_shape const&, stream_ref const&, void** parameters);

// How many clusters of the plan the device runs at once.
int active_clusters(function_ref const&, launch_shape const&, stream_ref const&);

} // namespace spio::cuda
