// The inner loop of a matrix product over folded tiles in shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I,
// J and K.
namespace matmul {

constexpr auto i = spio::axis<I>(64);
constexpr auto j = spio::axis<J>(64);
constexpr auto k = spio::axis<K>(16);
using a_tile = spio::tensor<float, k / 4, i, k % 4>;
using b_tile = spio::tensor<float, k, j>;
using c_matrix = spio::tensor<float, i, j>;
using thread = spio::compound_index<i / 4, j / 4>;

__global__ void typed(float* destination, float const* source) {
    __shared__ float a_data[a_tile::storage_size()];
    __shared__ float b_data[b_tile::storage_size()];
    for (int e = threadIdx.x; e < 1024; e += 256) {
        a_data[e] = source[e];
        b_data[e] = source[1024 + e];
    }
    __syncthreads();
    auto const a = a_tile(a_data)[thread(threadIdx.x)];
    auto const b = b_tile(b_data)[thread(threadIdx.x)];
    auto const c = c_matrix(destination)[thread(threadIdx.x)];
    float sum[4][4] = {};
#pragma unroll
    for (auto const step : spio::range(K(16))) {
        for (auto const row : spio::range(I(4))) {
            for (auto const column : spio::range(J(4))) {
                sum[row.get()][column.get()] += *a[step][row] * *b[step][column];
            }
        }
    }
    for (auto const row : spio::range(I(4))) {
        for (auto const column : spio::range(J(4))) {
            *c[row][column] = sum[row.get()][column.get()];
        }
    }
}

__global__ void raw(float* destination, float const* source) {
    __shared__ float a[1024];
    __shared__ float b[1024];
    for (int e = threadIdx.x; e < 1024; e += 256) {
        a[e] = source[e];
        b[e] = source[1024 + e];
    }
    __syncthreads();
    int const i = threadIdx.x / 16;
    int const j = threadIdx.x % 16;
    float sum[4][4] = {};
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 4; ++column) {
                sum[row][column] +=
                    a[k / 4 * (64 * 4) + (i * 4 + row) * 4 + k % 4] * b[k * 64 + j * 4 + column];
            }
        }
    }
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
            destination[(i * 4 + row) * 64 + j * 4 + column] = sum[row][column];
        }
    }
}

} // namespace matmul
