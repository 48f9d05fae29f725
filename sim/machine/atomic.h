// Atomic operations on words of shared or global memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Each returns the old value.
unsigned atomic_add(unsigned* word, unsigned value);
float atomic_add(float* word, float value);
unsigned atomic_exchange(unsigned* word, unsigned value);
unsigned atomic_compare_exchange(unsigned* word, unsigned expected, unsigned value);
// A load with acquire and a store with release semantics, for the whole device.
unsigned load_acquire(unsigned const* word);
void store_release(unsigned* word, unsigned value);

} // namespace spio::machine
