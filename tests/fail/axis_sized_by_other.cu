// clang, clang-cuda: from 'I' to 'spio::axis<K>'
// nvcc, nvrtc: argument types are: \(I\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::axis<K>(I(8)); // wrong
