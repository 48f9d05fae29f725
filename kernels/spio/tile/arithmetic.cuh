// Arithmetic that gives the same bits on every device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/arithmetic.h"

namespace spio {

// A compiler may fuse a product and a sum into one operation of one rounding, or not.
// multiply_add() always fuses. A single operation, a product that no sum follows, and a quotient
// need no such function: they are the same everywhere.
__device__ inline float multiply_add(float a, float b, float c) {
    return machine::multiply_add(a, b, c);
}
// |x|; NaN for NaN.
__device__ inline float magnitude(float x) { return machine::magnitude(x); }
__device__ inline float square_root(float x) { return machine::square_root(x); }

} // namespace spio
