// error: declared_in_spio_rounding_h
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The error names the header to include.
constexpr auto x = spio::refold_up<16>(spio::LANE(3)); // wrong
