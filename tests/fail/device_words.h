// The macros of CUDA's headers, for a clang that only checks device text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __align__(bytes) __attribute__((aligned(bytes)))

__device__ unsigned long __cvta_generic_to_shared(void const*);
