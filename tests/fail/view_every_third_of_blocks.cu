// error: HasToDivideTheFinestAxis=3.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/axis_views.h"

constexpr auto v = spio::every<3, K>(Folded()); // wrong
