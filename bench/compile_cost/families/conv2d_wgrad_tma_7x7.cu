// The gradient of a 7 x 7 filter by TMA, row by row, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d/wgrad_tma.cuh"

extern "C" __global__ void __launch_bounds__(160, 1)
    conv2d_wgrad_tma_7x7(__grid_constant__ spio::conv2d::wgrad_tma::params const p) {
    spio::conv2d::wgrad_tma::run<spio::conv2d::problem{.n = 64,
                                                       .c = 128,
                                                       .h = 28,
                                                       .w = 28,
                                                       .r = 7,
                                                       .s = 7,
                                                       .pad_h = 3,
                                                       .pad_w = 3,
                                                       .bias = false,
                                                       .pass = spio::conv2d::direction::wgrad,
                                                       .made_for = spio::conv2d::known_sizes::all,
                                                       .gradient = spio::conv2d::precision::fp32},
                                 spio::conv2d::wgrad_tma::config{.groups = 4,
                                                                 .images = 2,
                                                                 .columns = 32,
                                                                 .stages = 8,
                                                                 .splits = 32,
                                                                 .whole_images = false}>(p);
}
