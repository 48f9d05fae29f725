// The dimensions of what is drawn: matrices I x K, K x J and I x J.
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
