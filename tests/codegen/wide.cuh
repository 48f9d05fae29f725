// More than 2^31 elements: the axes that reach that far count in 64 bits, the others do not.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I, K and N.
namespace wide {

// The tensor has 2^32 elements, an image i, k of it 2^20.
constexpr auto n = spio::axis<N>(4096);
constexpr auto i = spio::axis<I>(1024);
constexpr auto k = spio::axis<K>(1024);
using tensor = spio::tensor<float, n, i, k>;

__global__ void typed(float* destination) {
    *tensor(destination)[N(blockIdx.y)][I(blockIdx.x)][K(threadIdx.x)] = 1.0f;
}

__global__ void raw(float* destination) {
    int const n = blockIdx.y;
    int const i = blockIdx.x;
    int const k = threadIdx.x;
    destination[n * (1024LL * 1024) + (i * 1024 + k)] = 1.0f;
}

} // namespace wide
