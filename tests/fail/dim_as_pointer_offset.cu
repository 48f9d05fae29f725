// error of gcc: operand types are 'const float\*' and 'I'
// error: const float \*(' and '| \+ )I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A pointer counts elements, not positions along a dimension.
constexpr float const* second(float const* data) {
    return data + I(1); // wrong
    return data;
}
