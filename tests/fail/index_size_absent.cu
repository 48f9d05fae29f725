// clang, clang-cuda: bound<J> > 0' \(0 > 0\) evaluated to false
// nvcc, nvrtc: linear_index<Digits\.\.\.>::size .*I, 8.*K, 8
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Block = spio::compound_index<i / 8, k / 8>;
constexpr int size = Block::size<J>(); // wrong
