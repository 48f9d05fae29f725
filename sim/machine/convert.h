// Conversions between float and the 16-bit formats, given and returned as bits.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/convert.h.
#pragma once

#include "sim/convert.h"

namespace spio::machine {

constexpr float half_to_float(unsigned short bits) { return sim::half_to_float(bits); }
// Both conversions round to the nearest, ties to even.
constexpr unsigned short float_to_half(float value) { return sim::float_to_half(value); }
constexpr unsigned short float_to_bfloat16(float value) { return sim::float_to_bfloat16(value); }
// Converts two floats and packs the results into one word, `first` in the low 16 bits.
constexpr unsigned floats_to_halves(float first, float second) {
    return sim::floats_to_halves(first, second);
}
constexpr unsigned floats_to_bfloat16s(float first, float second) {
    return sim::floats_to_bfloat16s(first, second);
}
// The same for numbers of which negative ones become 0; NaN stays NaN.
constexpr float rectified(float value) { return value <= 0 ? 0 : value; }
constexpr unsigned floats_to_rectified_halves(float first, float second) {
    return sim::floats_to_halves(rectified(first), rectified(second));
}
constexpr unsigned floats_to_rectified_bfloat16s(float first, float second) {
    return sim::floats_to_bfloat16s(rectified(first), rectified(second));
}

} // namespace spio::machine
