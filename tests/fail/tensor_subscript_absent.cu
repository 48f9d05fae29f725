// says: AbsentDimension=J, Tensor=spio::tensor<float, spio::axis<I>.*spio::axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[J(3)]; // wrong
