// error: \bK, (Size=)?0\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// fold<K, 8> counts blocks of 8 values of K. A block of none counts nothing.
using Zero = spio::fold<K, 0>; // wrong
