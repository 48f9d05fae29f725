// A middle axis whose size only the run knows: it determines the stride of the axis to its left.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I, J and K.
namespace dynamic_middle {

constexpr auto i = spio::axis<I>(64);
// The kernel is told the size, which is at most 1024, so that every offset is an int.
constexpr auto j = spio::axis<J>(spio::dynamic.up_to(1024));
constexpr auto k = spio::axis<K>(8);
using image = spio::tensor<float, i, j, k>;

__global__ void typed(float* destination, int width) {
    *image(destination, J(width))[I(blockIdx.x)][J(threadIdx.y)][K(threadIdx.x)] = 1.0f;
}

__global__ void raw(float* destination, int width) {
    int const i = blockIdx.x;
    int const j = threadIdx.y;
    int const k = threadIdx.x;
    destination[i * (width * 8) + j * 8 + k] = 1.0f;
}

} // namespace dynamic_middle
