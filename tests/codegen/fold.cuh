// A copy into a folded layout: K is split into blocks of 8, and I lies between.
// SPDX-License-Identifier: Apache-2.0
namespace fold {

constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(512);
using from_tensor = spio::tensor<float const, i, k>;
using to_tensor = spio::tensor<float, k / 8, i, k % 8>;

__global__ void typed(float* to, float const* from) {
    I const row(threadIdx.y);
    K const column(threadIdx.x);
    *to_tensor(to)[row][column] = *from_tensor(from)[row][column];
}

__global__ void raw(float* to, float const* from) {
    int const row = threadIdx.y;
    int const column = threadIdx.x;
    to[(column >> 3) * (16 * 8) + row * 8 + (column & 7)] = from[row * 512 + column];
}

} // namespace fold
