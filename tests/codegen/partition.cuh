// The elements of a tile distributed over the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I
// and K.
namespace partition {

constexpr auto i = spio::axis<I>(24);
constexpr auto k = spio::axis<K>(64);
using tile = spio::compound_index<i, k>;
using lanes = spio::compound_index<spio::axis<spio::LANE>(32)>;
using matrix = spio::tensor<float, k, i>;

__global__ void typed(float* destination) {
#pragma unroll 1
    for (auto const element : tile::partition<spio::LANE>(lanes(threadIdx.x))) {
        *matrix(destination)[element] = 1.0f;
    }
}

__global__ void raw(float* destination) {
#pragma unroll 1
    for (int element = int(threadIdx.x); element < 24 * 64; element += 32) {
        unsigned const row = unsigned(element) / 64;
        unsigned const column = unsigned(element) % 64;
        destination[int(column * 24 + row)] = 1.0f;
    }
}

} // namespace partition
