// A copy between two row-major tensors whose axes are written in different orders.
// SPDX-License-Identifier: Apache-2.0
namespace plain {

constexpr auto i = spio::axis<I>(256);
constexpr auto k = spio::axis<K>(512);
using from_tensor = spio::tensor<float const, i, k>;
using to_tensor = spio::tensor<float, k, i>;

__global__ void typed(float* to, float const* from) {
    I const row(blockIdx.x);
    K const column(threadIdx.x);
    *to_tensor(to)[row][column] = *from_tensor(from)[column][row];
}

__global__ void raw(float* to, float const* from) {
    int const row = blockIdx.x;
    int const column = threadIdx.x;
    to[column * 256 + row] = from[row * 512 + column];
}

} // namespace plain
