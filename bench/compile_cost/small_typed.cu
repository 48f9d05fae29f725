// A copy into a folded layout, typed.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension is an integer type that says what it counts; axis<K>(32) is K with 32 values, and
// fold<K, 8> counts K in blocks of 8. A tensor is a pointer with axes.
#include "spio/dims.h"

struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(512);

extern "C" __global__ void kernel(float* target, float const* source) {
    I const row(threadIdx.y);
    K const column(threadIdx.x);
    *spio::tensor<float, k / 8, i, k % 8>(target)[row][column] =
        *spio::tensor<float const, i, k>(source)[row][column];
}
