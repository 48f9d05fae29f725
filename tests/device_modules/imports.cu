// A kernel that imports the algebra.
// SPDX-License-Identifier: Apache-2.0
import spio.dims;
#include "kernel.cuh"
