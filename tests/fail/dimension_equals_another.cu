// error: NotThatDimension=(Row|.*Row.*|.*R.*o.*w.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// dimension<"Row"> is a dimension by its name; positions of two dimensions do not compare.
using Row = spio::dimension<"Row">;
using Column = spio::dimension<"Column">;
constexpr bool result = Column(5) == Row(5); // wrong
