// A transpose through shared memory whose columns are exchanged by their row.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A swizzle exchanges cells by their row, so that lanes read different banks. The
// header dimensions.h, which is included before this file, declares the dimensions I, J and K.
#include "spio/swizzle.h"

namespace swizzle {

constexpr auto i = spio::axis<I>(32);
constexpr auto j = spio::axis<J>(32);
using matrix = spio::tensor<float, i, j>;
using transposed = spio::tensor<float, j, i>;
using tile_tensor = spio::tensor<float, i, spio::swizzle(j, i)>;

__global__ void typed(float* destination, float* source) {
    __shared__ float buffer[tile_tensor::storage_size()];
    tile_tensor const tile(buffer);
    I const row(threadIdx.y);
    J const column(threadIdx.x);
    *tile[row][column] = *matrix(source)[row][column];
    __syncthreads();
    I const to_row(threadIdx.x);
    J const to_column(threadIdx.y);
    *transposed(destination)[to_row][to_column] = *tile[to_row][to_column];
}

__global__ void raw(float* destination, float* source) {
    __shared__ float tile[32 * 32];
    int const y = threadIdx.y;
    int const x = threadIdx.x;
    tile[y * 32 + (y ^ x)] = source[y * 32 + x];
    __syncthreads();
    destination[y * 32 + x] = tile[x * 32 + (y ^ x)];
}

} // namespace swizzle
