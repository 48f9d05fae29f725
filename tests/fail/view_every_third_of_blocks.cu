// error: HasToDivideTheFinestAxis=3.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.
#include "spio/axis_views.h"

// every<3, K>() keeps each third position of K. A step of 3 would cross blocks of 8 unevenly.
constexpr auto v = spio::every<3, K>(Folded()); // wrong
