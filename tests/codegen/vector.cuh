// Elements of 16 bytes, moved by one instruction each.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K.
namespace vector {

constexpr auto i = spio::axis<I>(64);
constexpr auto k = spio::axis<K>(256);
using from_tensor = spio::tensor<float4 const, i, k / 4>;
using to_tensor = spio::tensor<float4, k / 8, i, k / 4 % 2>;
using K4 = spio::fold<K, 4>;

__global__ void typed(float4* destination, float4 const* source) {
    I const row(threadIdx.y);
    K4 const cell(threadIdx.x);
    float4 const value = *from_tensor(source)[row][cell];
    *to_tensor(destination)[row][cell] = value;
}

__global__ void raw(float4* destination, float4 const* source) {
    int const row = threadIdx.y;
    int const cell = threadIdx.x;
    float4 const value = source[row * 64 + cell];
    destination[(cell >> 1) * (64 * 2) + row * 2 + (cell & 1)] = value;
}

} // namespace vector
