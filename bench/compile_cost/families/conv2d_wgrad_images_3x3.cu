// The gradient of a 3 x 3 filter by TMA, of whole images, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d/wgrad_tma.cuh"

extern "C" __global__ void __launch_bounds__(288, 1)
    conv2d_wgrad_images_3x3(__grid_constant__ spio::conv2d::wgrad_tma::params const p) {
    spio::conv2d::wgrad_tma::run<spio::conv2d::problem{.n = 128,
                                                       .c = 512,
                                                       .h = 14,
                                                       .w = 14,
                                                       .r = 3,
                                                       .s = 3,
                                                       .pad_h = 1,
                                                       .pad_w = 1,
                                                       .bias = false,
                                                       .pass = spio::conv2d::direction::wgrad,
                                                       .made_for = spio::conv2d::known_sizes::all,
                                                       .gradient = spio::conv2d::precision::fp32},
                                 spio::conv2d::wgrad_tma::config{.groups = 4,
                                                                 .images = 1,
                                                                 .columns = 16,
                                                                 .stages = 3,
                                                                 .splits = 16,
                                                                 .whole_images = true}>(p);
}
