// The kernel of kernel.cuh with headers included, whose code must equal that of imports.cu.
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

#include "kernel.cuh"
