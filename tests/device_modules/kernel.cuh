// A copy between two layouts, written once for the kernel that imports and the one that includes.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts. axis<K>(64) is the dimension
// K with 64 values, k / 8 its blocks of 8 and k % 8 the positions in one. A tensor is a pointer
// with axes, a subscript a position in it. refold<n>(x) counts x in blocks of n, rounded down.
#pragma once

struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};

inline constexpr auto i = spio::axis<I>(16);
inline constexpr auto k = spio::axis<K>(64);

extern "C" __global__ void refold(float* target_data, float* source_data) {
    auto const source = spio::tensor<float, i, k>(source_data);
    auto const target = spio::tensor<float, k / 8, i, k % 8>(target_data);
    I const row(static_cast<int>(threadIdx.y));
    K const column(static_cast<int>(threadIdx.x));
    *target[row][column] = *source[row][column];
}
