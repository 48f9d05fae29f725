// error: a_stride_is_at_least_what_it_spans<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, k = axis<K>(32).
#include "spio/inverse.h"

// Rows of 32 elements that begin at every 7th share elements: an offset has no single position.
using Pitched = spio::tensor<float, spio::axis<I>(spio::dynamic).pitch(spio::dynamic), k>;
constexpr auto x = position(Pitched(nullptr, I(2), spio::pitch<I>(7)), 8); // wrong
