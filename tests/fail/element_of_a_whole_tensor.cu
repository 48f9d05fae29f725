// error: Position=.*has_no_subscript_in<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Element = decltype(*Plain()); // wrong
