// Shuffles, votes and sums of a warp: a row of results for each lane.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#pragma once

#include "spio/tensor.h"

namespace spio::test::warp {

struct ANSWER : dim {
    using dim::dim;
};
inline constexpr auto lanes = axis<LANE>(32);
inline constexpr auto answers = axis<ANSWER>(16);
using row = tensor<int, lanes, answers>;

// Each lane has a number.
struct params {
    int const* numbers;
    int* answers;
};

} // namespace spio::test::warp
