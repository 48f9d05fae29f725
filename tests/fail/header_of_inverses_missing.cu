// error: declared_in_spio_inverse_h
// SPDX-License-Identifier: Apache-2.0
#include "spio/dims.h"

// The error names the header to include.
using Row = spio::tensor<float, spio::axis<spio::OFFSET>(32)>;
constexpr auto x = position(Row(), 8); // wrong
