// Atomic operations on words of shared or global memory.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/atomic.h.
#pragma once

namespace spio::machine {

// Each atomic operation returns the old value of the word.
unsigned atomic_add(unsigned* word, unsigned value);
float atomic_add(float* word, float value);
unsigned atomic_exchange(unsigned* word, unsigned value);
unsigned atomic_compare_exchange(unsigned* word, unsigned expected, unsigned value);
// load_acquire loads with acquire semantics and store_release stores with release semantics, at the
// scope of the device.
unsigned load_acquire(unsigned const* word);
void store_release(unsigned* word, unsigned value);

} // namespace spio::machine
