// A copy between two layouts, written once for the kernel that imports and the one that includes.
// SPDX-License-Identifier: Apache-2.0
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
