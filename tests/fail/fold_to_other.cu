// error: from .K8. .*to .const I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// K8 counts blocks of K. It converts to K, and to no other dimension.
constexpr I x = K8(3); // wrong
