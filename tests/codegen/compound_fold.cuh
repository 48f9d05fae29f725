// A layout folded into the digits that a block's index and a thread's have: no sum of them carries.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I,
// J and K.
namespace compound_fold {

constexpr auto i = spio::axis<I>(256);
constexpr auto j = spio::axis<J>(32);
using block = spio::compound_index<i / 16>;
using thread = spio::compound_index<i % 16, j>;
using tiles = spio::tensor<float, i / 16, j, i % 16>;

__global__ void typed(float* a) { *tiles(a)[block(blockIdx.x)][thread(threadIdx.x)] = 1.0f; }

__global__ void raw(float* a) {
    unsigned const block = blockIdx.x;
    unsigned const row = threadIdx.x / 32;
    unsigned const column = threadIdx.x % 32;
    a[int(block * (32 * 16) + column * 16 + row)] = 1.0f;
}

} // namespace compound_fold
