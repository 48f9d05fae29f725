// Arithmetic with a defined rounding, which no compiler option changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// a * b + c, rounded once.
__device__ inline float multiply_add(float a, float b, float c) {
    float sum;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(b), "f"(c));
    return sum;
}
// |x|, which costs nothing as an operand of another instruction.
__device__ inline float magnitude(float x) {
    float size;
    asm("abs.f32 %0, %1;" : "=f"(size) : "f"(x));
    return size;
}
// The square root, rounded to the nearest float.
__device__ inline float square_root(float x) {
    float root;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

} // namespace spio::machine
