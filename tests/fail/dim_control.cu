// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A dimension's values are ints that remember what they count: they add and compare with their own.
static_assert(I(2) + I(4) == I(6) && I(8) < I(10) && I(5) != I(6));
static_assert(I(5) % I(3) == I(2) && -I(5) == I(-5) && 2 * I(3) == I(3) * 2);
static_assert(I(7) / 2 == I(3) && I(7).get() == 7);
constexpr I moved(I x) {
    x += I(2);
    x -= I(1);
    return ++x;
}
static_assert(moved(I(3)) == I(5));
