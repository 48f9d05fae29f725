// clang, clang-cuda: bound_of<N> > 0' .*false
// nvcc, nvrtc: ::size .*Digits=<N,
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Open = spio::compound_index<n, i>;
constexpr int size = Open::size(); // wrong
