// error: (undefined|incomplete).*\bbase_cursor<
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The class of the result is in spio/base_cursor.h, as its declaration says.
using Column = spio::tensor<float, spio::axis<spio::LANE>(4)>;
constexpr auto x = Column().origin().rebase(); // wrong
