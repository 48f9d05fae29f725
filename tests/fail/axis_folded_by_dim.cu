// error: axis<K>(' and '| / )K\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = k / K(8); // wrong
