// error: 'bool' and 'I'|bool < I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr bool result = true < I(1); // wrong
