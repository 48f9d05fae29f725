// The activations of convolutions, of every number in bfloat16.
// SPDX-License-Identifier: Apache-2.0
#include "activation.h"

#include "conv2d/activation.cuh"
#include "spio/tile/thread.cuh"

using namespace spio;
using namespace spio::test::conv2d_activation;

extern "C" __global__ void conv2d_activation(params p) {
    int const first = values * (threads * this_block() + this_thread());
    for (int n = first; n < first + values; n += 2) {
        conv2d::two_floats const x = {bits_as<float>(static_cast<unsigned>(n) << 16),
                                      bits_as<float>(static_cast<unsigned>(n + 1) << 16)};
        conv2d::two_floats const results[] = {conv2d::activated<conv2d::activation::silu>(x),
                                              conv2d::activated<conv2d::activation::gelu>(x),
                                              conv2d::derivatives<conv2d::activation::silu>(x),
                                              conv2d::derivatives<conv2d::activation::gelu>(x)};
        for (int number = 0; number < 8; ++number) {
            p.results[4 * n + number] = results[number % 4][number / 4];
        }
    }
}
