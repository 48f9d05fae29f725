// Includes Spio's dimensions and tensors beside the standard library, without modules.
// SPDX-License-Identifier: Apache-2.0
//
// fold<I, 8>(3) is the third block of 8 along the dimension I, counted from 0: position 24.
#include "spio/dims.h"

#include <cstdio>

struct I : spio::dim {
    using dim::dim;
};
static_assert(spio::fold<I, 8>(3) == I(24));

int main() { std::puts("included"); }
