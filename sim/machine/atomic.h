// Words that several threads change at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Each returns what was there before. The memory may be shared or global.
unsigned atomic_add(unsigned* word, unsigned value);
float atomic_add(float* word, float value);
unsigned atomic_exchange(unsigned* word, unsigned value);
unsigned atomic_compare_exchange(unsigned* word, unsigned expected, unsigned value);
// A read and a write that order what surrounds them, for the block or the device.
unsigned load_acquire(unsigned const* word);
void store_release(unsigned* word, unsigned value);

} // namespace spio::machine
