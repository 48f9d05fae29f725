// 8 x 8 matrices of 16-bit elements between shared memory and the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// Lane 8 m + r points to row r of matrix m: 8 elements, 16 bytes, aligned. Each lane gets of matrix
// m the elements (row Lane / 4, columns 2 (Lane % 4) and the next).
void load_matrices(unsigned (&to)[1], void const* row);
void load_matrices(unsigned (&to)[2], void const* row);
void load_matrices(unsigned (&to)[4], void const* row);
// The same of the transposed matrices.
void load_matrices_transposed(unsigned (&to)[1], void const* row);
void load_matrices_transposed(unsigned (&to)[2], void const* row);
void load_matrices_transposed(unsigned (&to)[4], void const* row);

// The way back (sm_90).
void store_matrices(void* row, unsigned const (&from)[1]);
void store_matrices(void* row, unsigned const (&from)[2]);
void store_matrices(void* row, unsigned const (&from)[4]);
void store_matrices_transposed(void* row, unsigned const (&from)[1]);
void store_matrices_transposed(void* row, unsigned const (&from)[2]);
void store_matrices_transposed(void* row, unsigned const (&from)[4]);

} // namespace spio::machine
