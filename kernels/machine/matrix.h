// 8 x 8 matrices of 16-bit elements between shared memory and the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// Lane 8 m + r points to row r of matrix m: 8 elements, 16 bytes, aligned. Register m of a lane
// gets two elements of matrix m.
//     (Lane, Half) -> (row Lane / 4, column 2 (Lane % 4) + Half)
__device__ inline void load_matrices(unsigned (&values)[1], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(values[0])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices(unsigned (&values)[2], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(values[0]), "=r"(values[1])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices(unsigned (&values)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(shared_address(row))
                 : "memory");
}
// The same for the transposed matrices.
__device__ inline void load_matrices_transposed(unsigned (&values)[1], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(values[0])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&values)[2], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(values[0]), "=r"(values[1])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&values)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// Stores such registers as matrices (sm_90).
__device__ inline void store_matrices(void* row, unsigned const (&values)[1]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
                 "r"(values[0])
                 : "memory");
}
__device__ inline void store_matrices(void* row, unsigned const (&values)[2]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
        "r"(values[0]), "r"(values[1])
        : "memory");
}
__device__ inline void store_matrices(void* row, unsigned const (&values)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3])
                 : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned const (&values)[1]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
        "r"(values[0])
        : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned const (&values)[2]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
        "r"(values[0]), "r"(values[1])
        : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned const (&values)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3])
                 : "memory");
}

} // namespace spio::machine
