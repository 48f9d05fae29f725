// error: OfADimension=N.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
#include "spio/windows.h"

auto v = spio::windows<N, J, I, spio::window{.taps = 3}>(Plain()); // wrong
