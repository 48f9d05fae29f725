// Arithmetic rounded as it says: the host's own is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

inline float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float square_root(float x) { return __builtin_sqrtf(x); }

} // namespace spio::machine
