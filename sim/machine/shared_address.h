// Addresses in the window of shared memory, as instructions take them.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/shared_address.h.
#pragma once

namespace spio::machine {

// The 32-bit address in the window of an object in shared memory.
unsigned shared_address(void const* pointer);

} // namespace spio::machine
