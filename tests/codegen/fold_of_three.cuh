// A fold by 3, which neither shifts nor masks, of a value that is known not to be negative.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimension K.
// The next lines are read by compare.py, which compares the two in PTX.
// typed differs from raw: clang-cuda: +1 mul.wide.s32 -1 mul.wide.u32: it widens the offset as a
// signed number, of which it knows less than of the raw one.
namespace fold_of_three {

constexpr auto k = spio::axis<K>(192);
using index = spio::compound_index<k>;
using tensor = spio::tensor<float, k % 3, k / 3>;

__global__ void typed(float* destination, float value) {
    *tensor(destination)[index(threadIdx.x)] = value;
}

__global__ void raw(float* destination, float value) {
    unsigned const k = threadIdx.x;
    destination[int(k % 3 * 64 + k / 3)] = value;
}

} // namespace fold_of_three
