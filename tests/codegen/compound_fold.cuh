// A block and a thread over a layout folded as they are: nothing is left to carry.
// SPDX-License-Identifier: Apache-2.0
namespace compound_fold {

constexpr auto i = spio::axis<I>(256);
constexpr auto j = spio::axis<J>(32);
using block = spio::compound_index<i / 16>;
using thread = spio::compound_index<i % 16, j>;
using tiles = spio::tensor<float, i / 16, j, i % 16>;

__global__ void typed(float* a) { *tiles(a)[block(blockIdx.x)][thread(threadIdx.x)] = 1.0f; }

__global__ void raw(float* a) {
    unsigned const block = blockIdx.x;
    unsigned const row = threadIdx.x / 32;
    unsigned const column = threadIdx.x % 32;
    a[int(block * (32 * 16) + column * 16 + row)] = 1.0f;
}

} // namespace compound_fold
