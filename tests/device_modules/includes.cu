// The same kernel, including the algebra.
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

#include "kernel.cuh"
