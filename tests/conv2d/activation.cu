// The activations of convolutions, of every number in bfloat16.
// SPDX-License-Identifier: Apache-2.0
//
// A thread computes as many numbers as `values` says, four results and four pairs of each. A
// bfloat16 is the upper half of a float.
#include "activation.h"

#include "conv2d/activation.cuh"
#include "spio/tile/half.cuh"
#include "spio/tile/thread.cuh"

using namespace spio;
using namespace spio::test::conv2d_activation;

extern "C" __global__ void conv2d_activation(params p) {
    int const first = values * (threads * this_block() + this_thread());
    for (int n = first; n < first + values; ++n) {
        float const x = bits_as<float>(static_cast<unsigned>(n) << 16);
        float* const results = p.results + 4 * n;
        results[0] = conv2d::activated<conv2d::activation::silu>(x);
        results[1] = conv2d::activated<conv2d::activation::gelu>(x);
        results[2] = conv2d::derivative<conv2d::activation::silu>(x);
        results[3] = conv2d::derivative<conv2d::activation::gelu>(x);
        float const positive = conv2d::activated<conv2d::activation::relu>(x);
        float const negative = conv2d::activated<conv2d::activation::relu>(-x);
        unsigned* const pairs = p.pairs + 4 * n;
        pairs[0] = pair<half>::rectified(x, -x).bits;
        pairs[1] = pair<half>(positive, negative).bits;
        pairs[2] = pair<bfloat16>::rectified(x, -x).bits;
        pairs[3] = pair<bfloat16>(positive, negative).bits;
    }
}
