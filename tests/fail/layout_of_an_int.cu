// clang, clang-cuda: 'int'.* does not satisfy 'axis_like'
// nvcc, nvrtc: template constraint not satisfied
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, i, 16>; // wrong
