// A tile through shared memory, as a checkerboard of cells of 8 bytes.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I
// and K. The next lines are read by compare.py, which compares the two in PTX.
// typed differs from raw: clang-cuda: the order: it finds the parts of the swizzle in another
// order.
#include "spio/swizzle.h"

namespace checkerboard {

constexpr auto i = spio::axis<I>(64);
constexpr auto k = spio::axis<K>(64);
using cells = spio::tensor<double, i, k / 8>;
using tile_tensor = spio::tensor<double, k / 16, i / 16, spio::checkerboard(i % 16, (k % 16) / 8)>;
using store_index = spio::compound_index<i, k / 8>;
using load_index = spio::compound_index<k / 8, i>;

__global__ void typed(double* data) {
    __shared__ double buffer[tile_tensor::storage_size()];
    tile_tensor const tile(buffer);
    store_index const store_position(threadIdx.x);
    *tile[store_position] = *cells(data)[store_position];
    __syncthreads();
    load_index const load_position(threadIdx.x);
    *cells(data)[load_position] = *tile[load_position];
}

__device__ int offset(unsigned row, unsigned cell) {
    unsigned const tile = cell / 2 * (4 * 32) + row / 16 * 32;
    unsigned const pair = row % 16;
    return int(tile + ((2 * pair + cell % 2) ^ (pair / 4 & 1)));
}

__global__ void raw(double* data) {
    __shared__ double tile[4 * 4 * 32];
    unsigned const from_row = threadIdx.x / 8;
    unsigned const from_cell = threadIdx.x % 8;
    tile[offset(from_row, from_cell)] = data[int(from_row * 8 + from_cell)];
    __syncthreads();
    unsigned const to_cell = threadIdx.x / 64;
    unsigned const to_row = threadIdx.x % 64;
    data[int(to_row * 8 + to_cell)] = tile[offset(to_row, to_cell)];
}

} // namespace checkerboard
