// error: declared_in_spio_stepped_range_h
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The error names the header to include.
constexpr auto x = spio::range_with_step<8>(spio::LANE(32)); // wrong
