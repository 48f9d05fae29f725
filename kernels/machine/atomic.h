// Atomic operations on words of shared or global memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Each returns the old value.
__device__ inline unsigned atomic_add(unsigned* word, unsigned value) {
    unsigned old_value;
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(old_value) : "l"(word), "r"(value) : "memory");
    return old_value;
}
__device__ inline float atomic_add(float* word, float value) {
    float old_value;
    asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(old_value) : "l"(word), "f"(value) : "memory");
    return old_value;
}
__device__ inline unsigned atomic_exchange(unsigned* word, unsigned value) {
    unsigned old_value;
    asm volatile("atom.exch.b32 %0, [%1], %2;"
                 : "=r"(old_value)
                 : "l"(word), "r"(value)
                 : "memory");
    return old_value;
}
__device__ inline unsigned atomic_compare_exchange(unsigned* word, unsigned expected,
                                                   unsigned value) {
    unsigned old_value;
    asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old_value)
                 : "l"(word), "r"(expected), "r"(value)
                 : "memory");
    return old_value;
}
// A load with acquire and a store with release semantics, for the whole device.
__device__ inline unsigned load_acquire(unsigned const* word) {
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}
__device__ inline void store_release(unsigned* word, unsigned value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

} // namespace spio::machine
