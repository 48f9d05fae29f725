// A kernel that imports Spio's dimensions and tensors as a module.
// SPDX-License-Identifier: Apache-2.0
import spio.dims;
#include "kernel.cuh"
