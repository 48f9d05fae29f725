// Functions of floats that the chip approximates; here they are rounded to nearest.
// SPDX-License-Identifier: Apache-2.0
//
// The sim runs a kernel on the processor; this stands for the header of the same name in
// kernels/machine, which has the chip's instructions.
#pragma once

namespace spio::machine {

inline float approximate_power_of_two(float x) { return __builtin_exp2f(x); }
inline float approximate_reciprocal(float x) { return 1 / x; }

} // namespace spio::machine
