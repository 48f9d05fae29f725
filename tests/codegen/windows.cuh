// A correlation with 3 taps, stride 2 and padding, whose bounds are those of a view of windows.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K. The next lines are read by compare.py, which compares the two in PTX.
// typed has no: div, rem
#include "spio/windows.h"

namespace windows {

struct P : spio::dim {
    using dim::dim;
};
struct R : spio::dim {
    using dim::dim;
};
using inputs = spio::tensor<float const, spio::axis<I>(64)>;
using taps = spio::tensor<float const, spio::axis<R>(3)>;
constexpr spio::window three{.taps = 3, .stride = 2, .pad = 1};

__global__ void typed(float* y, float const* x, float const* w) {
    auto const v = spio::windows<I, P, R, three>(inputs(x));
    P const p(threadIdx.x);
    float sum = 0;
    for (auto const r : spio::range(R(3))) {
        auto const input = v[p][r];
        if (input.inbounds()) sum += *input * *taps(w)[r];
    }
    y[threadIdx.x] = sum;
}

__global__ void raw(float* y, float const* x, float const* w) {
    int const p = threadIdx.x;
    float sum = 0;
    for (int r = 0; r < 3; ++r) {
        int const i = 2 * p + r - 1;
        bool const is_inside = static_cast<unsigned>(p) < 32u;
        if (is_inside & (static_cast<unsigned>(i) < 64u)) {
            sum += x[i] * w[r];
        }
    }
    y[threadIdx.x] = sum;
}

} // namespace windows
