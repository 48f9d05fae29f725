// The same kernel, which includes Spio's dimensions and tensors as headers.
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

#include "kernel.cuh"
