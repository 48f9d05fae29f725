// Elements of 16 bytes, moved by one instruction each.
// SPDX-License-Identifier: Apache-2.0
namespace vector {

constexpr auto i = spio::axis<I>(64);
constexpr auto k = spio::axis<K>(256);
using from_tensor = spio::tensor<float4 const, i, k / 4>;
using to_tensor = spio::tensor<float4, k / 8, i, k / 4 % 2>;
using K4 = spio::fold<K, 4>;

__global__ void typed(float4* to, float4 const* from) {
    I const row(threadIdx.y);
    K4 const cell(threadIdx.x);
    float4 const value = *from_tensor(from)[row][cell];
    *to_tensor(to)[row][cell] = value;
}

__global__ void raw(float4* to, float4 const* from) {
    int const row = threadIdx.y;
    int const cell = threadIdx.x;
    float4 const value = from[row * 64 + cell];
    to[(cell >> 1) * (64 * 2) + row * 2 + (cell & 1)] = value;
}

} // namespace vector
