// A copy of 16 rows, of a matrix with 512 columns, into blocks of 8 columns, in ints.
// SPDX-License-Identifier: Apache-2.0
//
// The twin of small_typed.cu, which is written with Spio's dimensions: compilers' times for both
// are compared.
extern "C" __global__ void kernel(float* target, float const* source) {
    int const row = threadIdx.y;
    int const column = threadIdx.x;
    target[(column >> 3) * (16 * 8) + row * 8 + (column & 7)] = source[row * 512 + column];
}
