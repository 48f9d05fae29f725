// A matrix product through swizzled and folded tiles in shared memory, typed.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension is an integer type that says what it counts; axis<K>(32) is K with 32 values, and
// fold<K, 8> counts K in blocks of 8. A tensor is a pointer with axes. A ring is an axis around
// which positions wrap. A compound index is one number for several indices, the last of which
// varies fastest. A block has 256 threads and a tile of 64 x 64 of c, a thread 4 x 4; k goes in
// chunks of 16, which take turns in two tiles of a and of b. partition() deals the positions of an
// index out to the threads.
#include "spio/dims.h"
#include "spio/swizzle.h"

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
constexpr auto i = spio::axis<I>(1024);
constexpr auto j = spio::axis<J>(1024);
constexpr auto k = spio::axis<K>(1024);
constexpr auto tile_i = spio::axis<I>(64);
constexpr auto tile_j = spio::axis<J>(64);
constexpr auto chunks = spio::axis<K>(32);

using K16 = spio::fold<K, 16>;
using A = spio::tensor<float const, i, k>;
using B = spio::tensor<float const, k, j>;
using C = spio::tensor<float, i, j>;
using A_tile = spio::tensor<float, (chunks / 16).ring(), tile_i,
                            spio::swizzle(chunks / 4 % 4, tile_i % 4), chunks % 4>;
using B_tile = spio::tensor<float, (chunks / 16).ring(), chunks % 16, tile_j>;
using block = spio::compound_index<i / 64, j / 64>;
using thread = spio::compound_index<tile_i / 4, tile_j / 4>;
using lane = spio::compound_index<spio::axis<spio::LANE>(256)>;
using A_elements = spio::compound_index<tile_i, k % 16>;
using B_elements = spio::compound_index<k % 16, tile_j>;

extern "C" __global__ void kernel(float* c_data, float const* a_data, float const* b_data) {
    __shared__ float a_buffer[A_tile::storage_size()];
    __shared__ float b_buffer[B_tile::storage_size()];
    A_tile const a_tile(a_buffer);
    B_tile const b_tile(b_buffer);
    block const origin(blockIdx.x);
    thread const place(threadIdx.x);
    auto const a = A(a_data)[origin];
    auto const b = B(b_data)[origin];
    float sum[4][4] = {};
    for (auto const chunk : spio::range(K16(64))) {
        for (auto const e : A_elements::partition<spio::LANE>(lane(threadIdx.x))) {
            *a_tile[chunk][e] = *a[chunk][e];
        }
        for (auto const e : B_elements::partition<spio::LANE>(lane(threadIdx.x))) {
            *b_tile[chunk][e] = *b[chunk][e];
        }
        __syncthreads();
#pragma unroll
        for (auto const k : spio::range(K(16))) {
            for (auto const row : spio::range(I(4))) {
                for (auto const column : spio::range(J(4))) {
                    sum[row.get()][column.get()] +=
                        *a_tile[place][chunk][row][k] * *b_tile[place][chunk][column][k];
                }
            }
        }
    }
    auto const c = C(c_data)[origin][place];
    for (auto const row : spio::range(I(4))) {
        for (auto const column : spio::range(J(4))) *c[row][column] = sum[row.get()][column.get()];
    }
}
