// error of gcc: template constraint failure for .template<class Dimension, int Size>
// error: 'int' does not satisfy 'index'|type constraint failed for "int"
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// fold<K, 8> counts blocks of 8 values of a dimension; int is no dimension.
using Number = spio::fold<int, 8>; // wrong
