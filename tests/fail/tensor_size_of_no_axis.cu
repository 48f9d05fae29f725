// error: NoAxisOfTheTensor=(K8|.*<K, 8>), Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, Plain =
// tensor<float, i, k>.

// size() is that of an axis: Plain has single values of K, not blocks of 8.
constexpr auto size = Plain::size<K8>(); // wrong
