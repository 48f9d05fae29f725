// A kernel with Spio's dimensions and tensors imported as a module.
// SPDX-License-Identifier: Apache-2.0
//
// The kernel is that of kernel.cuh. Its PTX must equal that of includes.cu, which includes them.
import spio.dims;
#include "kernel.cuh"
