// error: HasToDivideTheFinestAxis=3.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/axis_views.h"

// every<3, K>() keeps each third position of K. A step of 3 would cross blocks of 8 unevenly.
constexpr auto v = spio::every<3, K>(Folded()); // wrong
