// The forward pass of a convolution by TMA, 7 x 7, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d/tma.cuh"

extern "C" __global__ void __launch_bounds__(128, 2)
    conv2d_fprop_tma_7x7(__grid_constant__ spio::conv2d::tma::params const p) {
    spio::conv2d::tma::run<spio::conv2d::problem{.n = 64,
                                                 .c = 128,
                                                 .h = 28,
                                                 .w = 28,
                                                 .r = 7,
                                                 .s = 7,
                                                 .pad_h = 3,
                                                 .pad_w = 3,
                                                 .bias = false,
                                                 .pass = spio::conv2d::direction::fprop,
                                                 .made_for = spio::conv2d::known_sizes::all,
                                                 .gradient = spio::conv2d::precision::fp32},
                           spio::conv2d::tma::config{.groups = 4,
                                                     .images = 1,
                                                     .columns = 32,
                                                     .rows = 28,
                                                     .tiles_per_block = 1,
                                                     .blocks = 2}>(p);
}
