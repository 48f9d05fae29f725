// Requests to the TMA engine: what must hold for a load and for a store.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is a call that breaks a rule of the GPU: it ends the launch with a report. `name` is
// that of the instruction, for the report; a tensor map describes a tensor and its boxes.
#pragma once

#include "machine/bulk_copy.h"
#include "sim/gpu.h"
#include "sim/tensor_map.h"

namespace spio::sim {

// The alignments, in bytes, that the TMA engine needs: of a range in shared or global memory, of a
// box in shared memory, and of a tensor map in global memory.
inline constexpr int range_alignment = 16, box_alignment = 128, map_alignment = 64;
// That of an access whose alignment has been checked before.
inline constexpr int any_alignment = 1;

// Reports a misuse unless the global address is a multiple of `divisor`.
void check_multiple(gpu_thread& thread, void const* global, char const* name, int divisor);
// Reports a misuse unless a range of global memory is valid for a bulk copy: its address and size
// are multiples of 16 bytes, and it lies within one allocation.
void check_range(gpu_thread& thread, void const* global, int bytes, access kind, char const* name);
// Returns the tensor map in a kernel's parameter. It is a misuse if the map has not `rank`
// dimensions.
tensor_map const& map_of(gpu_thread& thread, tensor_map_words const* words, char const* name,
                         int rank);

} // namespace spio::sim
