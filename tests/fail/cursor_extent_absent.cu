// clang, clang-cuda: base_of<J> >' evaluated to false
// nvcc, nvrtc: cursor<Data, Layout, Ts\.\.\.>::extent .*axis<I>.*axis<K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto extent = Plain()[I(2)].extent<J>(); // wrong
