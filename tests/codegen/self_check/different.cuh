// Not twins: the ring wraps and the ints do not. The comparison must say that they differ.
// SPDX-License-Identifier: Apache-2.0
//
// `typed` has Spio's dimensions and `raw` has ints. axis<K>(32) is the dimension K with 32 values;
// on a ring, positions wrap at the end. A tensor is a pointer with axes, a subscript a position in
// it. The header dimensions.h, which is included before this file, declares the dimensions I and K.
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
