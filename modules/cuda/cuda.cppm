// The CUDA driver, found at run time: devices, contexts, streams, memory, kernels and their launch.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing of CUDA is needed to build this or to load it. An owner is a noun and gives back what it
// has when it ends; a borrower is a *_ref. What cannot be done is a spio::error. All calls
// may come from any thread and leave the caller's current context as they found it.
//
//     spio::cuda::driver const driver;
//     auto const gpu = driver.device(0);
//     spio::cuda::context const context(gpu);
//     spio::cuda::library const library(driver, image, "axpby");
//     auto const axpby = library.kernel("axpby_256x4").load(context);
//     spio::cuda::stream const stream(context);
//     launch(axpby, {.grid = {80}, .block = {256}}, stream, parameters);
module;

#include "spio/launch_values.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

export module spio.cuda;

export import spio.error;
export import :abi;
export import :driver;
export import :stream;

export namespace spio {
using spio::block_shape;
using spio::extent;
using spio::launch_shape;
using spio::tensor_map_plan;
using spio::tensor_map_words;
} // namespace spio

export namespace spio::cuda {

class kernel_ref;

// A loaded image: a cubin, a fatbin or PTX. It belongs to no context; the driver copies it to a
// device when it is first needed there. The bytes must outlive the library, or the keeper must own
// them.
class library {
  public:
    library(driver const&, std::span<std::byte const> image, std::string name,
            std::shared_ptr<void const> keeper = {});

    cuda::driver const& driver() const { return *owned.get_deleter().driver; }
    abi::library handle() const { return owned.get(); }
    std::string const& name() const { return owned.get_deleter().name; }
    kernel_ref kernel(std::string symbol) const;

  private:
    struct release {
        cuda::driver const* driver;
        std::string name;
        void operator()(abi::library) const noexcept;
    };
    std::shared_ptr<void const> image_keeper;
    std::unique_ptr<abi::library_object, release> owned;
};

// The place of a kernel's parameter among all parameters, in bytes.
struct parameter {
    std::size_t offset, size;
    friend bool operator==(parameter const&, parameter const&) = default;
};

class function_ref;

// A kernel of a library. It belongs to no device.
class kernel_ref {
  public:
    // The handle must not be null.
    kernel_ref(cuda::driver const& driver, abi::kernel handle, std::string symbol);

    cuda::driver const& driver() const { return *driver_pointer; }
    abi::kernel handle() const { return kernel_handle; }
    std::string const& name() const { return symbol; }

    // The first parameter, as the compiler laid it out; an error if there is none. The driver
    // answers only while a context is current. Asking for the number of parameters would end with a
    // failed call behind the last one, which compute-sanitizer reports, so only the first is asked.
    parameter first_parameter(context_ref const&) const;
    int attribute(abi::function_attribute, device_ref const&) const;
    void set_attribute(abi::function_attribute, int value, device_ref const&) const;
    // Must be called once per device before a launch with more than 48 KiB of dynamic shared
    // memory.
    void allow_dynamic_shared(int bytes, device_ref const&) const;
    // Must be called once per device before a launch with clusters of more than 8 blocks.
    void allow_large_clusters(device_ref const&) const;
    // Loads the kernel into the context now. A launch would do that too, but not while a graph is
    // captured.
    function_ref load(context_ref const&) const;

  private:
    cuda::driver const* driver_pointer;
    abi::kernel kernel_handle;
    std::string symbol;
};

// A kernel in a context.
class function_ref {
  public:
    function_ref(context_ref context, abi::function handle, std::string symbol);

    context_ref const& context() const { return home; }
    abi::function handle() const { return function_handle; }
    std::string const& name() const { return symbol; }

    int attribute(abi::function_attribute) const;
    // How many blocks of the function an SM can hold at once.
    int blocks_per_multiprocessor(int threads, std::size_t dynamic_shared) const;

  private:
    context_ref home;
    abi::function function_handle;
    std::string symbol;
};

// Launches a kernel, in the order of the stream. `parameters` has one pointer to each parameter.
// The call allocates nothing, takes no lock and looks nothing up.
void launch(function_ref const&, launch_shape const&, stream_ref const&, void** parameters);

// How many clusters of such a launch the device can run at once.
int active_clusters(function_ref const&, launch_shape const&, stream_ref const&);

// Encodes a tensor map by the driver, as the 128 bytes that a kernel takes. The plan says all but
// the address: sizes, strides, box and swizzle; the tensor begins at the start of the memory. The
// elements are declared as unsigned integers, since the TMA engine only copies them.
tensor_map_words encode(context_ref const&, tensor_map_plan const&, memory_ref);

} // namespace spio::cuda
