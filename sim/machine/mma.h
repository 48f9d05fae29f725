// mma.sync: a warp computes c += a b on the tensor core, 16-bit factors and float sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// 16 x 8 sums of 8 products each, or of 16.
void multiply_halves(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]);
void multiply_halves(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]);
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]);
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]);

} // namespace spio::machine
