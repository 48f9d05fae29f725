// error: ElementsShareOffsets=int.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).
#include "spio/inverse.h"

// With a pitch of 0 all rows share their elements: an offset has no single position.
using Shared = spio::tensor<float, i.pitch(0), k>;
constexpr auto place = position(Shared(), 3); // wrong
