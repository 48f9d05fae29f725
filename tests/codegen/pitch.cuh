// A tile that lies within a greater matrix: its rows are as far apart as the pitch says.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I, J and K.
namespace pitch {

constexpr auto i = spio::axis<I>(8);
constexpr auto j = spio::axis<J>(32);
using tile = spio::tensor<float, i.pitch(1024), j>;

__global__ void typed(float* destination) {
    for (auto const row : spio::range(I(8))) *tile(destination)[row][J(threadIdx.x)] = 1.0f;
}

__global__ void raw(float* destination) {
    for (int row = 0; row < 8; ++row) destination[row * 1024 + int(threadIdx.x)] = 1.0f;
}

} // namespace pitch
