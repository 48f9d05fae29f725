// clang, clang-cuda: 'int' does not satisfy 'index'
// nvcc, nvrtc: base_cursor<float, .*\[ int \]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place = place[1]; // wrong
    return place;
}
