// error of gcc: operand types are .const float\*. and .I.
// error of clang, clang-cuda: no viable overloaded operator\[\] for type 'const float \*'
// error of nvcc, nvrtc: const float \* \[ I \]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// An array has no dimension to subscript. A tensor has.
constexpr float first(float const* data) {
    return data[I(0)]; // wrong
    return 0;
}
