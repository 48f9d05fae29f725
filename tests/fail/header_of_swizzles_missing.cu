// error: declared_in_spio_swizzle_h
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The error names the header to include.
constexpr auto x = spio::swizzle(spio::axis<spio::LANE>(8), spio::axis<spio::OFFSET>(8)); // wrong
