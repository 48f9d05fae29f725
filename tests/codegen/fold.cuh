// A copy into a folded layout: K is split into blocks of 8, and I lies between.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K.
namespace fold {

constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(512);
using from_tensor = spio::tensor<float const, i, k>;
using to_tensor = spio::tensor<float, k / 8, i, k % 8>;

__global__ void typed(float* destination, float const* source) {
    I const row(threadIdx.y);
    K const column(threadIdx.x);
    *to_tensor(destination)[row][column] = *from_tensor(source)[row][column];
}

__global__ void raw(float* destination, float const* source) {
    int const row = threadIdx.y;
    int const column = threadIdx.x;
    destination[(column >> 3) * (16 * 8) + row * 8 + (column & 7)] = source[row * 512 + column];
}

} // namespace fold
