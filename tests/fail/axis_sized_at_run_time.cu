// clang, clang-cuda: consteval function 'spio::axis<K>::axis' is not
// nvcc, nvrtc: consteval .*axis\(int\) \[with Dimension=K\]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr void size(int number) {
    auto axis = spio::axis<K>(number); // wrong
}
