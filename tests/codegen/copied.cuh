// A copy between two layouts, and a loop over all positions of a tensor of dynamic sizes.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K. The next lines are read by compare.py, which compares the two in PTX.
// typed has no: div, rem
// typed differs from raw: nvrtc: +1 mov.u64: the pointer of the inner loop starts as a copy
// typed differs from raw: nvcc: +1 mov.u64: the pointer of the inner loop starts as a copy
// typed differs from raw: clang-cuda: the order: the pitch of a block is multiplied out before the
// loops
namespace copied {

constexpr auto i = spio::axis<I>(12);
constexpr auto k = spio::axis<K>(24);
using rows = spio::tensor<float const, spio::axis<I>(spio::dynamic), k>;
using blocks = spio::tensor<float, k / 8, spio::axis<I>(spio::dynamic), k % 8>;

__global__ void typed(float* destination, float const* source, int height) {
    copy(rows(source, I(height)), blocks(destination, I(height)));
}

__global__ void raw(float* destination, float const* source, int height) {
    for (int block = 0; block < 3; ++block) {
        for (int i = 0; i < height; ++i) {
            for (int k = 0; k < 8; ++k) {
                destination[(block * static_cast<long long>(height) + i) * 8 + k] =
                    source[static_cast<long long>(i) * 24 + block * 8 + k];
            }
        }
    }
}

} // namespace copied
