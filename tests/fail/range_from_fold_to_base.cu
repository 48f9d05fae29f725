// error: 'K8'.* vs\. 'K'|\(K8, K\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto values = spio::range(K8(1), K(30)); // wrong
