// error: from .K8. .*to .const I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr I x = K8(3); // wrong
