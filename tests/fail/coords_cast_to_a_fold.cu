// error: OnlyABase=K, ToAnotherBase=(J8|.*<J, 8>).*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// cast() renames a dimension of coordinates. K8 counts blocks of K, so it is no name of its own.
using J8 = spio::fold<J, 8>;
constexpr auto x = spio::coords<K, I>().cast<K, J8>(); // wrong
