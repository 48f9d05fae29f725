// Arithmetic with a defined rounding, which no compiler option changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// a * b + c, rounded once.
inline float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
// The square root, rounded to the nearest float.
inline float square_root(float x) { return __builtin_sqrtf(x); }

} // namespace spio::machine
