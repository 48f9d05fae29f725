// error: <I, I>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::coords<I, I>; // wrong
