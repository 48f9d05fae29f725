// error: AnOpenIndex=spio::linear_index<N, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Open = spio::compound_index<n, i>;
constexpr int size = Open::size(); // wrong
