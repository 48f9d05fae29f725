// error: declared_in_spio_tiles_h
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The error names the header to include.
using Lanes = spio::tensor<float, spio::axis<spio::LANE>(32)>;
constexpr auto x = spio::slice<8>(Lanes(), spio::LANE(8)); // wrong
