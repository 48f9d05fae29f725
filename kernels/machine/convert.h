// Conversions between float and the 16-bit formats, given and returned as bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

__device__ inline float half_to_float(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
// Rounds to the nearest, ties to even.
__device__ inline unsigned short float_to_half(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
__device__ inline unsigned short float_to_bfloat16(float value) {
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
// Two at once, the first in the low bits.
__device__ inline unsigned floats_to_halves(float first, float second) {
    unsigned bits;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}
__device__ inline unsigned floats_to_bfloat16s(float first, float second) {
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}
// The same for numbers of which negative ones become 0; NaN stays NaN.
__device__ inline unsigned floats_to_rectified_halves(float first, float second) {
    unsigned bits;
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}
__device__ inline unsigned floats_to_rectified_bfloat16s(float first, float second) {
    unsigned bits;
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}

} // namespace spio::machine
