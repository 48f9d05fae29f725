// A tile through shared memory, as a checkerboard of cells of 16 bytes.
// SPDX-License-Identifier: Apache-2.0
namespace checkerboard {

constexpr auto i = spio::axis<I>(64);
constexpr auto k = spio::axis<K>(64);
using cells = spio::tensor<float4, i, k / 8>;
using tile_tensor =
    spio::tensor<float4, k / 16, i / 16, spio::checkerboard(i % 16, (k % 16) / 8)>;
using store_index = spio::compound_index<i, k / 8>;
using load_index = spio::compound_index<k / 8, i>;

__global__ void typed(float4* data) {
    __shared__ float4 buffer[tile_tensor::storage_size()];
    tile_tensor const tile(buffer);
    store_index const from(threadIdx.x);
    float4 const stored = *cells(data)[from];
    *tile[from] = stored;
    __syncthreads();
    load_index const to(threadIdx.x);
    float4 const loaded = *tile[to];
    *cells(data)[to] = loaded;
}

__device__ int offset(unsigned row, unsigned cell) {
    unsigned const pair = row % 16;
    return int(cell / 2 * (4 * 32) + row / 16 * 32 +
               ((2 * pair + cell % 2) ^ (pair / 4 & 1)));
}

__global__ void raw(float4* data) {
    __shared__ float4 tile[4 * 4 * 32];
    unsigned const from_row = threadIdx.x / 8;
    unsigned const from_cell = threadIdx.x % 8;
    float4 const stored = data[int(from_row * 8 + from_cell)];
    tile[offset(from_row, from_cell)] = stored;
    __syncthreads();
    unsigned const to_cell = threadIdx.x / 64;
    unsigned const to_row = threadIdx.x % 64;
    float4 const loaded = tile[offset(to_row, to_cell)];
    data[int(to_row * 8 + to_cell)] = loaded;
}

}  // namespace checkerboard
