// error: from .int. to .(const )?I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr I x = 3; // wrong
