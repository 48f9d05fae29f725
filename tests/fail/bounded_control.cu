// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto lane = spio::bounded<K, 4>(3);
constexpr K unbounded = lane + K(1);
static_assert(unbounded == K(4) && lane == K(3) && lane < K(4));
