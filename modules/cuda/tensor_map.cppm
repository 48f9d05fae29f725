// Tensor maps: what the TMA engine must know of a tensor.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/launch_values.h"

export module spio.cuda:tensor_map;

import :device;
import :memory;

export namespace spio {
using spio::tensor_map_plan;
using spio::tensor_map_words;
} // namespace spio

export namespace spio::cuda {

// The driver's encoding of the plan for a tensor that begins where this memory does. Its elements
// are unsigned integers to the engine, which only copies them.
tensor_map_words encode(context_ref const&, tensor_map_plan const&, memory_ref);

} // namespace spio::cuda
