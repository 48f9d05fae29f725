// The dimensions that the kernels of this folder share.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension is an integer type that says what it counts.
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
