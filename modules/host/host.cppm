// The host device: kernels that were compiled into the program, as images, and their memory.
// SPDX-License-Identifier: Apache-2.0
//
// It simulates a GPU: it runs kernels that were compiled for the CPU, and reports wrong accesses
// and races. An image is a compiled kernel; a spec is what it is compiled from. A tensor map is the
// descriptor by which TMA copies boxes of a tensor; its plan says all but the address.
module;

#include "spio/launch_values.h"

#include <cstddef>
#include <optional>
#include <string>

export module spio.host;

import spio.image;
import spio.spec;

export namespace spio::host {

// Finds a kernel that spio_add_host_pack() has put into the program.
std::optional<image> find(spec const& spec);
// These kernels as an image source, for a store of images.
struct compiled_in {
    std::optional<image> find(spec const& spec) const { return host::find(spec); }
};

// Takes global memory of the host device. Its name appears in reports of kernels that access memory
// outside of it.
void* allocate(std::size_t bytes, std::string name);
void release(void* begin) noexcept;
// Whether launches also report reads of global memory that neither the host nor a kernel has
// written. Memory that the host has filled with bytes 0xff counts as unwritten.
void report_unwritten_reads(bool is_wanted);
// Encodes a tensor map as the host device reads it. Returns what is invalid, or an empty string.
std::string encode(tensor_map_plan const& plan, void* base, tensor_map_words& words);

} // namespace spio::host

namespace spio::host {

// The line "file:number" of a kernel that the code at an address of a program comes from, as far as
// its debug information tells; empty if nothing is known.
std::string source_line(std::string const& program, unsigned long long address);

} // namespace spio::host
