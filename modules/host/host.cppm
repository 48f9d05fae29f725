// Kernels compiled into the program, as images; and the memory that they are watched in.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tile/tensor_map.h"

#include <cstddef>
#include <optional>
#include <string>

export module spio.host;

import spio.image;
import spio.spec;

export namespace spio::host {

// Those that spio_add_host_pack() put into the program.
std::optional<image> find(spec const&);
struct compiled_in {
    std::optional<image> find(spec const& of) const { return host::find(of); }
};

// Of the host device: a kernel that misses it is found.
void* allocate(std::size_t bytes, std::string name);
void release(void*) noexcept;
// What the host device's copy engine reads of a tensor; or what is wrong, in a sentence.
std::string encode(box_plan const&, void* base, unsigned long long (&words)[16]);

} // namespace spio::host
