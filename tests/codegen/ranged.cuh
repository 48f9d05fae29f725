// A loop over all positions of a tensor: an odometer, which divides nowhere.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K. The next lines are read by compare.py, which compares the two in PTX.
// typed has no: div, rem
// typed differs from raw: nvrtc: +1 selp.b32: the outer digit is selected once more
// typed differs from raw: nvcc: +1 selp.b32: the outer digit is selected once more
// typed differs from raw: clang-cuda: -2 add.s32 +1 bra.uni +1 mad.lo.s32 +1 mov.b32 -1 mov.pred +1
// mov.u32 +1 mul.wide.s32 -1 mul.wide.u32 +1 selp.b32: it makes two loops of the typed one, and one
// of the raw one
namespace ranged {

constexpr auto i = spio::axis<I>(100);
constexpr auto k = spio::axis<K>(24);
using rows = spio::tensor<float const, i, k>;

__global__ void typed(float* destination, float const* source) {
    float sum = 0;
#pragma unroll 1
    for (auto const position : range(rows())) sum = sum * 0.5f + *rows(source)[position];
    *destination = sum;
}

__global__ void raw(float* destination, float const* source) {
    float sum = 0;
    bool more = true;
#pragma unroll 1
    for (int i = 0, k = 0; more;) {
        sum = sum * 0.5f + source[i * 24 + k];
        if (++k != 24) continue;
        k = 0;
        more = ++i != 100;
    }
    *destination = sum;
}

} // namespace ranged
