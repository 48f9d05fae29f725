// The kernel of kernel.cuh, with Spio's dimensions and tensors included as headers: its code must
// equal that of the file that imports them as a module.
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

#include "kernel.cuh"
