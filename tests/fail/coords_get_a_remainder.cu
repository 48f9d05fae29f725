// error: OnlyAPartOfTheDimension=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// Here K is in two entries: blocks of 8 and the rest. get<K>() would be a part of K only.
constexpr auto position = spio::make_coordinates(K8(1), K(3));
constexpr auto rest = position.get<K>(); // wrong
