// error: only_the_coarsest_fold_may_be_a_ring<K, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A ring takes positions modulo its size. Within blocks they are below the size anyway.
using Wrong = spio::tensor<float, k / 8, (k % 8).ring()>; // wrong
