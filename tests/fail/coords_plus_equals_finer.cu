// error of gcc: no match for 'operator\+=' \(operand types are 'coords<folded<K, 8>>' and 'K'\)
// error: coords<(K8|.*<K, 8>)>( \+= |, B=)K\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// K8 counts K in blocks of 8. The left side of += has no place for a part of a block.
constexpr spio::coords<K8> moved(spio::coords<K8> x) {
    x += K(1); // wrong
    return x;
}
