// error: B=int\]|\(K8, int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::max(K8(1), 3); // wrong
