// 8 x 8 matrices of 16-bit elements between shared memory and the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// Lane 8 m + r points to row r of matrix m: 8 elements, 16 bytes, aligned. Each lane gets of matrix
// m the elements (row Lane / 4, columns 2 (Lane % 4) and the next).
__device__ inline void load_matrices(unsigned (&to)[1], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(to[0])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices(unsigned (&to)[2], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices(unsigned (&to)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}
// The same of the transposed matrices.
__device__ inline void load_matrices_transposed(unsigned (&to)[1], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(to[0])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&to)[2], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&to)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// The way back (sm_90).
__device__ inline void store_matrices(void* row, unsigned const (&from)[1]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
                 "r"(from[0])
                 : "memory");
}
__device__ inline void store_matrices(void* row, unsigned const (&from)[2]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
        "r"(from[0]), "r"(from[1])
        : "memory");
}
__device__ inline void store_matrices(void* row, unsigned const (&from)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned const (&from)[1]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
        "r"(from[0])
        : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned const (&from)[2]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
        "r"(from[0]), "r"(from[1])
        : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned const (&from)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}

} // namespace spio::machine
