// error: NoAxisOfTheTensor=(K8|.*<K, 8>), Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Plain::size<K8>(); // wrong
