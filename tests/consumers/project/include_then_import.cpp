// Includes Spio's dimensions and tensors and imports them too: the names must be the same ones.
// SPDX-License-Identifier: Apache-2.0
//
// fold<I, 8>(3) is the third block of 8 along the dimension I, counted from 0: position 24.
#include "spio/dims.h"

#include <cstdio>
#include <string>
#include <type_traits>

struct I : spio::dim {
    using dim::dim;
};
using included = spio::fold<I, 8>;

import spio.dims;

static_assert(std::is_same_v<included, spio::fold<I, 8>>);
static_assert(included(3) == I(24));

int main() { std::puts(std::string("included, then imported").c_str()); }
