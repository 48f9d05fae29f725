// error: OnlyAPartOfTheDimension=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto position = spio::make_coordinates(K8(1), K(3));
constexpr auto rest = position.get<K>(); // wrong
