// The gradient of a 7 x 7 filter by cp.async, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d/wgrad_cp_async.cuh"

extern "C" __global__ void __launch_bounds__(256, 1)
    conv2d_wgrad_cp_async_7x7(__grid_constant__ spio::conv2d::wgrad_cp_async::params const p) {
    spio::conv2d::wgrad_cp_async::run<
        spio::conv2d::problem{.n = 64,
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
        spio::conv2d::wgrad_cp_async::config{
            .groups = 8, .images = 1, .columns = 32, .stages = 8, .splits = 54, .blocks = 1}>(p);
}
