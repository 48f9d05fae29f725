// clang, clang-cuda: Axes=<spio::axis<I>.*, 32>
// nvcc, nvrtc: template constraint not satisfied
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::compound_index<i, 32>; // wrong
