// The parameters of the kernel that computes activations of convolutions for all bfloat16 numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::test::conv2d_activation {

// Thread n computes the numbers whose bits as bfloat16 are from values * n on.
inline constexpr int values = 32, threads = 128, blocks = 65536 / values / threads;

// Of each number x four results: SiLU, GELU and their derivatives; and four pairs, the ReLU of x
// and of -x: as halves, by the conversion and by a comparison before it, and as bfloat16s.
struct params {
    float* results;
    unsigned* pairs;
};

} // namespace spio::test::conv2d_activation
