// error: declared_in_spio_extrema_h
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The error names the header to include.
constexpr auto x = spio::min(spio::LANE(1), spio::LANE(2)); // wrong
