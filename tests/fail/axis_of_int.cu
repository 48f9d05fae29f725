// error of gcc: template constraint failure for .template<class Dimension> .*struct axis
// error: 'int' does not satisfy 'index'|type constraint failed for "int"
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// An axis belongs to a dimension, which is a type of its own; int is none.
constexpr auto axis = spio::axis<int>(8); // wrong
