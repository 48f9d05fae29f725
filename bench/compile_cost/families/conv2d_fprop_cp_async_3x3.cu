// The forward pass of a convolution by cp.async, 3 x 3, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d/cp_async.cuh"

extern "C" __global__ void __launch_bounds__(256, 5)
    conv2d_fprop_cp_async_3x3(__grid_constant__ spio::conv2d::cp_async::params const p) {
    spio::conv2d::cp_async::run<spio::conv2d::problem{.n = 64,
                                                      .c = 128,
                                                      .h = 56,
                                                      .w = 56,
                                                      .r = 3,
                                                      .s = 3,
                                                      .pad_h = 1,
                                                      .pad_w = 1,
                                                      .bias = false,
                                                      .pass = spio::conv2d::direction::fprop,
                                                      .made_for = spio::conv2d::known_sizes::all,
                                                      .gradient = spio::conv2d::precision::fp32},
                                spio::conv2d::cp_async::config{.groups = 8,
                                                               .images = 1,
                                                               .columns = 16,
                                                               .rows = 56,
                                                               .mma_tiles = 1,
                                                               .stages = 4,
                                                               .blocks = 5,
                                                               .unrolled = true}>(p);
}
