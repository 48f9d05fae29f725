// error: from .K8. .*to .const int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr int number = K8(3); // wrong
