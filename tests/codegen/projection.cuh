// Three tensors subscripted by one position: each takes of it what it has.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I, J and K.
namespace projection {

constexpr auto i = spio::axis<I>(16);
constexpr auto j = spio::axis<J>(64);
constexpr auto k = spio::axis<K>(32);

__global__ void typed(float* c, float const* a, float const* b) {
    auto const place = I(threadIdx.y) + J(threadIdx.x) + K(blockIdx.x);
    auto const product =
        *spio::tensor<float const, i, k>(a)[place] * *spio::tensor<float const, k, j>(b)[place];
    *spio::tensor<float, i, j>(c)[place] = product;
}

__global__ void raw(float* c, float const* a, float const* b) {
    int const i = threadIdx.y;
    int const j = threadIdx.x;
    int const k = blockIdx.x;
    c[i * 64 + j] = a[i * 32 + k] * b[k * 64 + j];
}

} // namespace projection
