// error: from .int. to .(const )?I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A number becomes a position only explicitly: I(3).
constexpr I x = 3; // wrong
