// error: ElementsShareOffsets=int.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/inverse.h"

using Shared = spio::tensor<float, i.pitch(0), k>;
constexpr auto place = position(Shared(), 3); // wrong
