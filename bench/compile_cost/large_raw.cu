// A matrix product through swizzled and folded tiles in shared memory, in ints.
// SPDX-License-Identifier: Apache-2.0
//
// The twin of large_typed.cu, which is written with Spio's dimensions: compilers' times for both
// are compared. The matrices are 1024 x 1024. A block has 256 threads and a tile of 64 x 64 of c, a
// thread 4 x 4; k goes in chunks of 16, which take turns in two tiles of a and of b.
extern "C" __global__ void kernel(float* c, float const* a, float const* b) {
    __shared__ float a_tile[2 * 64 * 16];
    __shared__ float b_tile[2 * 16 * 64];
    int const block_i = blockIdx.x / 16;
    int const block_j = blockIdx.x % 16;
    int const i = threadIdx.x / 16 * 4;
    int const j = threadIdx.x % 16 * 4;
    auto const a_offset = [](int chunk, int row, int column) {
        return (chunk & 1) * (64 * 16) + row * 16 + ((column >> 2) ^ (row & 3)) * 4 + (column & 3);
    };
    float sum[4][4] = {};
    for (int chunk = 0; chunk < 64; ++chunk) {
        for (int e = threadIdx.x; e < 64 * 16; e += 256) {
            a_tile[a_offset(chunk, e / 16, e % 16)] =
                a[(block_i * 64 + e / 16) * 1024 + chunk * 16 + e % 16];
            b_tile[(chunk & 1) * (16 * 64) + e] =
                b[(chunk * 16 + e / 64) * 1024 + block_j * 64 + e % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            for (int row = 0; row < 4; ++row) {
                for (int column = 0; column < 4; ++column) {
                    sum[row][column] += a_tile[a_offset(chunk, i + row, k)] *
                                        b_tile[(chunk & 1) * (16 * 64) + k * 64 + j + column];
                }
            }
        }
    }
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
            c[(block_i * 64 + i + row) * 1024 + block_j * 64 + j + column] = sum[row][column];
        }
    }
}
