// clang, clang-cuda: axis<I>.*axis<K>.*::has<J>' evaluated to false
// nvcc, nvrtc: cursor<Data, Layout, Ts\.\.\.>::size .*axis<I>.*axis<K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Plain()[I(2)].size<J>(); // wrong
