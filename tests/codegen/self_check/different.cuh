// Not twins: the ring wraps and the ints do not. The comparison must say that they differ.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it.
namespace different {

constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(32).ring();

__global__ void typed(float* destination) {
    *spio::tensor<float, i, k>(destination)[I(threadIdx.y)][K(threadIdx.x)] = 1.0f;
}

__global__ void raw(float* destination) {
    int const row = threadIdx.y;
    int const column = threadIdx.x;
    destination[row * 32 + column] = 1.0f;
}

} // namespace different
