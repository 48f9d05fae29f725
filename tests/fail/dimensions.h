// The dimensions, axes and tensors that the cases use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/dims.h"

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
using K8 = spio::fold<K, 8>;
using K16 = spio::fold<K, 16>;

inline constexpr auto i = spio::axis<I>(16);
inline constexpr auto j = spio::axis<J>(64);
inline constexpr auto k = spio::axis<K>(32);
inline constexpr auto n = spio::axis<N>(spio::dynamic);

using Plain = spio::tensor<float, i, k>;
using Folded = spio::tensor<float, k / 8, i, k % 8>;
using Dynamic = spio::tensor<float, n, i>;
