// Arithmetic with a defined rounding, which no compiler option changes.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/arithmetic.h.
#pragma once

namespace spio::machine {

// a * b + c, rounded once.
inline float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
// |x|.
inline float magnitude(float x) { return __builtin_fabsf(x); }
// The square root, rounded to the nearest float.
inline float square_root(float x) { return __builtin_sqrtf(x); }

} // namespace spio::machine
