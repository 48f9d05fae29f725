// A batch whose size is known late, outermost: addresses do not need it, only the bounds test does.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I, K and N.
namespace dynamic_outermost {

// The kernel is told the size, which is at most 4096, so that every offset is an int.
constexpr auto n = spio::axis<N>(spio::dynamic.up_to(4096));
constexpr auto i = spio::axis<I>(64);
using batch = spio::tensor<float, n, i>;

__global__ void typed(float* destination, int images) {
    auto const place = batch(destination, N(images))[N(blockIdx.x)][I(threadIdx.x)];
    if (place.inbounds()) *place = 1.0f;
}

__global__ void raw(float* destination, int images) {
    int const n = blockIdx.x;
    int const i = threadIdx.x;
    if (unsigned(n) < unsigned(images) && unsigned(i) < 64) destination[n * 64 + i] = 1.0f;
}

} // namespace dynamic_outermost
