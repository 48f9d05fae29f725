// Words that several threads change at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Each returns what was there before. The memory may be shared or global.
__device__ inline unsigned atomic_add(unsigned* word, unsigned value) {
    unsigned before;
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(value) : "memory");
    return before;
}
__device__ inline float atomic_add(float* word, float value) {
    float before;
    asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(before) : "l"(word), "f"(value) : "memory");
    return before;
}
__device__ inline unsigned atomic_exchange(unsigned* word, unsigned value) {
    unsigned before;
    asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(value) : "memory");
    return before;
}
__device__ inline unsigned atomic_compare_exchange(unsigned* word, unsigned expected,
                                                   unsigned value) {
    unsigned before;
    asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(before)
                 : "l"(word), "r"(expected), "r"(value)
                 : "memory");
    return before;
}
// A read and a write that order what surrounds them, for the block or the device.
__device__ inline unsigned load_acquire(unsigned const* word) {
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}
__device__ inline void store_release(unsigned* word, unsigned value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

} // namespace spio::machine
