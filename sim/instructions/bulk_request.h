// Requests to the TMA engine: what must hold for a load and for a store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/bulk_copy.h"
#include "sim/gpu.h"
#include "sim/tensor_map.h"

namespace spio::sim {

void check_multiple(gpu_thread& thread, void const* global, char const* name, int divisor);
// A range of global memory: a multiple of 16 bytes, within an allocation.
void check_range(gpu_thread& thread, void const* global, int bytes, access kind, char const* name);
// The tensor map in a kernel's parameter, which must have so many dimensions.
tensor_map const& map_of(gpu_thread& thread, tensor_map_words const* words, char const* name,
                         int rank);

} // namespace spio::sim
