// The axes of the operands of mma in a group of 8 channels.
// SPDX-License-Identifier: Apache-2.0
//
// One mma computes 16 columns Q by 8 channels K of the output, and sums over 8 or 16 values of D.
// axis<Q>(16) is the dimension Q with 16 values; fold<D, 8> counts D in blocks of 8. A tap is an
// element of the filter's window.
#pragma once

#include "conv2d/problem.h"

namespace spio::conv2d {

// The channels of the input under two neighbouring taps, one tap after the other: D(8 tap + c).
struct D : dim {
    using dim::dim;
};
using D8 = fold<D, 8>;

inline constexpr axis<Q> q16{16};
inline constexpr axis<K> k8{8};
inline constexpr axis<D> d8{8};
inline constexpr axis<D> d16{16};

} // namespace spio::conv2d
