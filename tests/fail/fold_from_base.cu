// error: from .K. to .const K8\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr K8 x = K(24); // wrong
