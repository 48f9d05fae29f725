// Shuffles, votes and sums of a warp: a row of results for each lane.
// SPDX-License-Identifier: Apache-2.0
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
