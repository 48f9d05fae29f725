// A tile at an origin in a greater tensor: world coordinates, compared with its extents.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I
// and K. The next lines are read by compare.py, which compares the two in PTX.
// typed differs from raw: nvrtc: +1 add.s32 -1 add.s64 +1 selp.b32 +2 setp.gt.s32 -1 setp.gt.u32 -1
// setp.lt.s32 +1 setp.lt.u32: a range with a step compares without a sign: a value behind the last
// may be no int
// typed differs from raw: nvcc: +1 add.s32 -1 add.s64 +1 selp.b32 +2 setp.gt.s32 -1 setp.gt.u32 -1
// setp.lt.s32 +1 setp.lt.u32: a range with a step compares without a sign: a value behind the last
// may be no int
// typed differs from raw: clang-cuda: +1 max.s32 -1 setp.lt.s32 +1 setp.lt.u32: a range with a step
// compares without a sign: a value behind the last may be no int
#include "spio/stepped_range.h"

namespace world {

constexpr auto i = spio::axis<I>(500);
constexpr auto k = spio::axis<K>(70);
using matrix = spio::tensor<float const, i, k>;
using tile = spio::compound_index<spio::axis<I>(8), spio::axis<K>(32)>;

__global__ void typed(float* destination, float const* source, int first, int steps) {
    matrix const a(source);
    tile const idx(threadIdx.x);
    auto const origin = spio::make_coordinates(I(first), K(0));
    float sum = 0;
#pragma unroll 1
    for (auto const k : spio::range_with_step<32>(K(steps))) {
        auto const place = origin + idx + k;
        if (place < a.extents()) sum += *a[place];
    }
    destination[threadIdx.x] = sum;
}

__global__ void raw(float* destination, float const* source, int first, int steps) {
    unsigned const thread = threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k += 32) {
        int const row = thread / 32;
        int const column = thread % 32;
        int const i = first + row;
        int const j = column + k;
        if ((i < 500) & (j < 70)) sum += source[i * 70 + j];
    }
    destination[threadIdx.x] = sum;
}

} // namespace world
