// The kernel of kernel.cuh with Spio's dimensions and tensors imported as a module. Its PTX must
// equal that of includes.cu, which includes them.
// SPDX-License-Identifier: Apache-2.0
import spio.dims;
#include "kernel.cuh"
