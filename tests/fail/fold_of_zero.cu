// clang, clang-cuda: Dimension=K, Size=0\]
// nvcc, nvrtc: template constraint not satisfied
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Zero = spio::fold<K, 0>; // wrong
