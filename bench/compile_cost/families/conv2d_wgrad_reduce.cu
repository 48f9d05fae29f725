// The sum of all splits of the gradient of a 3 x 3 filter, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d/wgrad_reduce.cuh"

extern "C" __global__ void
conv2d_wgrad_reduce(__grid_constant__ spio::conv2d::wgrad_reduce::params const p) {
    spio::conv2d::wgrad_reduce::run<
        spio::conv2d::problem{.n = 64,
                              .c = 128,
                              .h = 56,
                              .w = 56,
                              .r = 3,
                              .s = 3,
                              .pad_h = 1,
                              .pad_w = 1,
                              .bias = false,
                              .pass = spio::conv2d::direction::wgrad,
                              .made_for = spio::conv2d::known_sizes::all,
                              .gradient = spio::conv2d::precision::fp32},
        spio::conv2d::wgrad_reduce::config{
            .splits = 66, .groups = 16, .readers = 32, .overlaps = true}>(p);
}
