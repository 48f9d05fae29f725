// A matrix product by mma.sync, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "matmul/cp_async.cuh"

extern "C" __global__ void __launch_bounds__(256, 1)
    matmul_cp_async(__grid_constant__ spio::matmul::cp_async::params const p) {
    spio::matmul::cp_async::run<
        spio::matmul::problem{.m = 8192,
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
        spio::matmul::cp_async::config{
            .m = 128, .n = 256, .warps_m = 2, .warps_n = 4, .stages = 3, .band = 8}>(p);
}
