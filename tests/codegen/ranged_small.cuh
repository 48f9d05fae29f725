// A loop over the positions of a small tensor: one number that is divided by constants.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. Compilers unroll such loops; this one they may not. The header dimensions.h,
// which is included before this file, declares the dimensions I and K. The next lines are read by
// compare.py, which compares the two in PTX.
// typed has no: div, rem
// typed differs from raw: clang-cuda: -3 and.b16 -2 cvt.u16.u32 -2 cvt.u32.u16 -1 mad.lo.s32 +2
// mul.hi.u32 -3 mul.lo.s16 +1 mul.lo.s32 -2 mul.wide.u16 -1 mul.wide.u32 -1 or.b32 -2 shr.u16 +1
// shr.u32 -1 sub.s16 +1 sub.s32: it computes the raw kernel's numbers with 16 bits
namespace ranged_small {

constexpr auto i = spio::axis<I>(10);
constexpr auto k = spio::axis<K>(24);
using rows = spio::tensor<float const, i, k>;
using blocks = spio::tensor<float, k / 8, i, k % 8>;

__global__ void typed(float* destination, float const* source) {
#pragma unroll 1
    for (auto const position : range(blocks())) {
        *blocks(destination)[position] = *rows(source)[position];
    }
}

__global__ void raw(float* destination, float const* source) {
#pragma unroll 1
    for (int n = 0; n < 240; ++n) {
        int const block = static_cast<unsigned>(n) / 80u;
        int const row = static_cast<unsigned>(n) / 8u % 10u;
        int const column = static_cast<unsigned>(n) % 8u;
        destination[block * 80 + row * 8 + column] = source[row * 24 + block * 8 + column];
    }
}

} // namespace ranged_small
