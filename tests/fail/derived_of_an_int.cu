// error: OnlyAxes=<int>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto reverse = [](K x) { return 31 - x.get(); };
constexpr auto axis = spio::derived(reverse, 32); // wrong
