// The algebra, included and not used.
// SPDX-License-Identifier: Apache-2.0
//
// The difference to the time of empty.cu is what reading Spio's headers costs.
#include "spio/dims.h"
extern "C" __global__ void kernel() {}
