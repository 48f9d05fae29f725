// Functions of floats that the chip approximates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// 2 to the power of x.
__device__ inline float approximate_power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}
__device__ inline float approximate_reciprocal(float x) {
    float quotient;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(quotient) : "f"(x));
    return quotient;
}

} // namespace spio::machine
