// error of clang, clang-cuda: 'a_bounded_value_is_from_0_to_below_its_size<K, 4>\(-1\)'
// error: a_bounded_value_is_from_0_to_below_its_size<.*\bK, (Size=)?4\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3.
constexpr auto x = spio::bounded<K, 4>(-1); // wrong
