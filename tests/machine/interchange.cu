// Spio's 16-bit numbers convert from CUDA's types and back.
// SPDX-License-Identifier: Apache-2.0
//
// Spio's types have the bits of CUDA's. The kernel is compiled, and never run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "spio/tile/half.cuh"

extern "C" __global__ void interchange(__half* h, __half2* h2, __nv_bfloat16* b,
                                       __nv_bfloat162* b2) {
    spio::half const half = h[0];
    spio::half2 const halves = h2[0];
    spio::bfloat16 const bfloat = b[0];
    spio::bfloat162 const bfloats = b2[0];
    __half const back = half;
    __half2 const pair = halves;
    __nv_bfloat16 const bfloat_back = bfloat;
    __nv_bfloat162 const bfloat_pair = bfloats;
    h[1] = back;
    h2[1] = pair;
    b[1] = bfloat_back;
    b2[1] = bfloat_pair;
}
