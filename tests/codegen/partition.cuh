// The elements of a tile dealt out to the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0
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
