// clang, clang-cuda: 'int' does not satisfy 'index'
// nvcc, nvrtc: argument types are: \(int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(1); // wrong
    return place;
}
