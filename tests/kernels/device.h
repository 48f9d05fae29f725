// A device that runs kernels: the host or a GPU, with memory between guards and one way to launch.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// Memory has guards around each array, bytes that no kernel may change, and is full of bytes 0xff
// at first. A tensor map is the descriptor by which TMA copies boxes of a tensor. The plan of a
// tensor map says all but its address.
#pragma once

#include "spio/tile/tensor_map.h"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace spio::test {

// A kernel: its name in cubins, and what the host's compiler made of the same text.
//     kernel{"axpby_96x1", axpby_96x1}
template <class Params> struct kernel {
    char const* symbol;
    void (*function)(Params);
};

// One launch, without its types. A GPU launches the kernel of this symbol with the parameters; the
// host device calls each_thread() in every simulated thread.
struct launch_request {
    char const* symbol;
    launch_shape shape;
    void const* params;
    std::size_t params_bytes;
    std::function<void()> each_thread;
};

// What went wrong with a device or on it, in a sentence.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Where a trial runs, whatever it is.
class device {
  public:
    virtual ~device() = default;
    virtual std::string name() const = 0;

    // Aligned to 256 bytes, between guards, and full of bytes 0xff.
    virtual void* allocate(std::string const& name, std::size_t bytes) = 0;
    // Frees what allocate() has returned.
    virtual void release(void* begin) = 0;
    // Copy to the device's memory and from it; they return when the copy is made.
    virtual void write(void* destination, void const* source, std::size_t bytes) = 0;
    virtual void read(void* destination, void const* source, std::size_t bytes) = 0;

    // A tensor map for the TMA engine.
    virtual tensor_map_words encode(tensor_map_plan const& plan, void* base) = 0;

    // Returns when the grid has ended, and every guard was looked at; throws a failure.
    virtual void launch(launch_request const& request) = 0;
};

} // namespace spio::test
