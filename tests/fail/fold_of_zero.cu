// error: \bK, (Size=)?0\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Zero = spio::fold<K, 0>; // wrong
