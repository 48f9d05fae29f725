// mma.sync: a warp computes c += a b on the tensor core, 16-bit factors and float sums.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/mma.h.
#pragma once

namespace spio::machine {

// c += a * b, where c is 16 x 8, a is 16 x k and b is k x 8. k is 8 for two registers of a, and 16
// for four.
void multiply_halves(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]);
void multiply_halves(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]);
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]);
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]);

} // namespace spio::machine
