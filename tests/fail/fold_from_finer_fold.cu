// error of gcc: from 'folded<K,8>' to 'folded<K,16>'
// error: from .*(K8|<K, 8>).* to .*(K16|<K, 16>)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>, K16 = fold<K, 16>.

// K16 counts blocks of 16. Blocks of 8 may be a half of one: only K16(x) rounds them.
constexpr K16 x = K8(2); // wrong
