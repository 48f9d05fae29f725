// Kernels that were compiled into the program, found by symbol and digest of their text.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU, whose kernels are compiled for the CPU. A report says which rule
// of the GPU the kernel broke, if any; a launch shape is grid, block, cluster and shared memory.
#pragma once

#include "sim/launch.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spio::sim {

// A kernel that can be found for as long as the object lives. It is meant to be a static object.
class host_kernel {
  public:
    using run_function = report (*)(char const* symbol, launch_shape const&, void const* params);

    // `text_digest` tells apart kernels of one symbol that were compiled from different headers.
    host_kernel(char const* symbol, std::uint64_t text_digest, std::size_t params_bytes,
                run_function run);
    host_kernel(host_kernel const&) = delete;
    ~host_kernel();

    char const* symbol() const { return symbol_; }
    std::size_t params_bytes() const { return params_bytes_; }
    report run(launch_shape const& shape, void const* params) const {
        return run_(symbol_, shape, params);
    }

    // Returns the kernel with this symbol that was compiled from this text, or null.
    static host_kernel const* find(std::string_view symbol, std::uint64_t text_digest);

  private:
    char const* symbol_;
    std::uint64_t text_digest_;
    std::size_t params_bytes_;
    run_function run_;
    host_kernel* next_;
};

// A kernel whose only parameter is a struct.
//     extern "C" void axpby_256x4(params p) { … }
//     namespace { spio::sim::host_kernel_of<axpby_256x4> const entry("axpby_256x4", 0x6f1d); }
template <auto Kernel> class host_kernel_of;
template <class Params, void (*Kernel)(Params)> class host_kernel_of<Kernel> : public host_kernel {
  public:
    host_kernel_of(char const* symbol, std::uint64_t text_digest)
        : host_kernel(symbol, text_digest, sizeof(Params), launch_on_host) {}

  private:
    // What each thread of a launch calls. A lambda's type would have its file's path in its name,
    // which UBSan stores.
    struct thread_call {
        Params const& arguments;
        void operator()() const { Kernel(arguments); }
    };
    static report launch_on_host(char const* name, launch_shape const& shape, void const* params) {
        return launch(name, shape, thread_call{*static_cast<Params const*>(params)});
    }
};

} // namespace spio::sim
