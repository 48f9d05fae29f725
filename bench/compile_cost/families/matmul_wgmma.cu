// A matrix product by wgmma, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "matmul/wgmma.cuh"

extern "C" __global__ void __launch_bounds__(512, 1)
    matmul_wgmma(__grid_constant__ spio::matmul::wgmma::params const p) {
    spio::matmul::wgmma::run<spio::matmul::problem{.m = 8192,
                                                   .n = 8192,
                                                   .k = 8192,
                                                   .batch = 1,
                                                   .type = spio::matmul::factor_type::bf16,
                                                   .result = spio::matmul::result_type::bf16,
                                                   .a = spio::matmul::order::rows,
                                                   .b = spio::matmul::order::rows,
                                                   .bias = false,
                                                   .activation = spio::matmul::activation::none,
                                                   .residual = false,
                                                   .made_for = spio::matmul::known_sizes::all,
                                                   .alignment = 16},
                             spio::matmul::wgmma::config{.m = 192,
                                                         .n = 128,
                                                         .stages = 4,
                                                         .buffers = 2,
                                                         .cluster_m = 1,
                                                         .cluster_n = 2,
                                                         .band = 10,
                                                         .splits = 1,
                                                         .blocks = 1}>(p);
}
