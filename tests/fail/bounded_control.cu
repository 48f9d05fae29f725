// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3; a sum with it is any K.
constexpr auto lane = spio::bounded<K, 4>(3);
constexpr K unbounded = lane + K(1);
static_assert(unbounded == K(4) && lane == K(3) && lane < K(4));
