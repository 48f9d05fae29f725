// error of gcc: no match for 'operator\+\+' \(operand type is 'bounded<K, 4>'\)
// error: increment value of type 'spio::bounded<K, 4>'|\+\+ spio::bounded<K, 4>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3. An increment could leave the bounds.
constexpr spio::bounded<K, 4> moved(spio::bounded<K, 4> x) {
    ++x; // wrong
    return x;
}
