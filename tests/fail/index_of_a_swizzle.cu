// clang, clang-cuda: derived_axis<.*evaluated to false
// nvcc, nvrtc: template constraint not satisfied
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::compound_index<spio::swizzle(k / 8, i % 4)>; // wrong
