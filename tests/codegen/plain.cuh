// A copy between two row-major tensors whose axes are written in different orders.
// SPDX-License-Identifier: Apache-2.0
namespace plain {

constexpr auto i = spio::axis<I>(256);
constexpr auto k = spio::axis<K>(512);
using from_tensor = spio::tensor<float const, i, k>;
using to_tensor = spio::tensor<float, k, i>;

__global__ void typed(float* destination, float const* source) {
    I const row(blockIdx.x);
    K const column(threadIdx.x);
    *to_tensor(destination)[row][column] = *from_tensor(source)[column][row];
}

__global__ void raw(float* destination, float const* source) {
    int const row = blockIdx.x;
    int const column = threadIdx.x;
    destination[column * 256 + row] = source[row * 512 + column];
}

} // namespace plain
