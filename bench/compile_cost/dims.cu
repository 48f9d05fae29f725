// The algebra, included and not used.
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"
extern "C" __global__ void kernel() {}
