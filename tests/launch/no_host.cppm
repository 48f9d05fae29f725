// Stands for the host device, a simulated GPU, in programs that never run kernels there.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from, an image a compiled kernel. The plan of a tensor map
// says all but its address.
module;

#include "spio/launch_values.h"

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

export module spio.host;

import spio.image;
import spio.spec;

export namespace spio::host {

void* allocate(std::size_t, std::string) { std::abort(); }
void release(void*) noexcept { std::abort(); }
std::string encode(tensor_map_plan const&, void*, tensor_map_words&) { std::abort(); }
std::optional<image> find(spec const&) { std::abort(); }

} // namespace spio::host
