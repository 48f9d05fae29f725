// error: OnlyABase=(K8|.*<K, 8>), ToAnotherBase=J.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>.

// cast() renames a dimension with all its blocks. K8 counts blocks of K, so K is the name.
constexpr auto x = spio::compound_index<k / 8, i>(1).cast<K8, J>(); // wrong
