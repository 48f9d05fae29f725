// error: ToABaseDimension=J, OnlyADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension J.

// cast<J>() renames a value of another dimension; a plain number has none.
constexpr auto x = spio::cast<J>(3); // wrong
