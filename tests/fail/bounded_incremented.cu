// error of gcc: no match for 'operator\+\+' \(operand type is 'bounded<K, 4>'\)
// error: increment value of type 'spio::bounded<K, 4>'|\+\+ spio::bounded<K, 4>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr spio::bounded<K, 4> moved(spio::bounded<K, 4> x) {
    ++x; // wrong
    return x;
}
