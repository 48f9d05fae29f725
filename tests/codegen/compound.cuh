// A block and a thread as typed coordinates of a plain tensor.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I,
// J and K. The next lines are read by compare.py, which compares the two in PTX.
// typed differs from raw: clang-cuda: -1 mul.wide.s32 +1 mul.wide.u32: it knows that no part of the
// offset is negative.
namespace compound {

constexpr auto i = spio::axis<I>(256);
constexpr auto j = spio::axis<J>(512);
using block = spio::compound_index<i / 16, j / 16>;
using thread = spio::compound_index<i % 16, j % 16>;
using matrix = spio::tensor<float, i, j>;

__global__ void typed(float* a) { *matrix(a)[block(blockIdx.x)][thread(threadIdx.x)] = 1.0f; }

__global__ void raw(float* a) {
    unsigned const block_row = blockIdx.x / 32;
    unsigned const block_column = blockIdx.x % 32;
    unsigned const row = threadIdx.x / 16;
    unsigned const column = threadIdx.x % 16;
    a[int((block_row * 16 + row) * 512 + block_column * 16 + column)] = 1.0f;
}

} // namespace compound
