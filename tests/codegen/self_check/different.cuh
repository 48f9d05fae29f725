// Not twins: the ring wraps and the ints do not. The comparison must say that they differ.
// SPDX-License-Identifier: Apache-2.0
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
