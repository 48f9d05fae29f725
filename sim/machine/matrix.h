// 8 x 8 matrices of 16-bit elements between shared memory and the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/matrix.h.
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// Lane 8 m + r points to row r of matrix m: 8 elements, 16 bytes, aligned. Register m of a lane
// gets two elements of matrix m.
//     (Lane, Half) -> (row Lane / 4, column 2 (Lane % 4) + Half)
void load_matrices(unsigned (&values)[1], void const* row);
void load_matrices(unsigned (&values)[2], void const* row);
void load_matrices(unsigned (&values)[4], void const* row);
// Loads the matrices transposed.
void load_matrices_transposed(unsigned (&values)[1], void const* row);
void load_matrices_transposed(unsigned (&values)[2], void const* row);
void load_matrices_transposed(unsigned (&values)[4], void const* row);

// Stores the registers of all lanes as matrices, in the layout in which load_matrices loads them,
// or transposed (sm_90).
void store_matrices(void* row, unsigned const (&values)[1]);
void store_matrices(void* row, unsigned const (&values)[2]);
void store_matrices(void* row, unsigned const (&values)[4]);
void store_matrices_transposed(void* row, unsigned const (&values)[1]);
void store_matrices_transposed(void* row, unsigned const (&values)[2]);
void store_matrices_transposed(void* row, unsigned const (&values)[4]);

} // namespace spio::machine
