// clang, clang-cuda: coords<I, .*does not satisfy 'index'
// nvcc, nvrtc: argument types are: \(spio::coords<I, K8>\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(I(1) + K8(1)); // wrong
    return place;
}
