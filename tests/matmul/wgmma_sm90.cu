// The kernels of matrix products by wgmma that are tested.
// SPDX-License-Identifier: Apache-2.0
//
// The product is d = activation(a b + bias) + c, where c is the residual; what follows the sums of
// a b is the epilogue. A kernel's name has the orders in which a and b are stored, or else its
// activation, the shape of its clusters (square) or tiles (high), or that it knows its sizes.
#include "products.h"

#include "matmul/wgmma.cuh"

namespace wgmma = spio::matmul::wgmma;
using namespace spio::test::matmul_products;

// A position in a ring jumps as many steps as it would go one by one, in a part of the ring too.
static_assert([] {
    for (int const used : {1, 2, 5}) {
        for (int steps = 0; steps < 24; ++steps) {
            spio::ring_position<spio::matmul::STAGE, 5> stepped(used), jumped(used);
            ++stepped, ++jumped;
            for (int n = 0; n < steps; ++n) ++stepped;
            jumped += steps;
            if (stepped.stage().value != jumped.stage().value ||
                stepped.parity() != jumped.parity() || jumped.stage().value >= used)
                return false;
        }
    }
    return true;
}());

extern "C" __global__ void __launch_bounds__(wgmma_row_column.config.threads(), 1)
    matmul_wgmma_row_column(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_row_column.problem, wgmma_row_column.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_row_row.config.threads(), 1)
    matmul_wgmma_row_row(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_row_row.problem, wgmma_row_row.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_column_column.config.threads(), 1)
    matmul_wgmma_column_column(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_column_column.problem, wgmma_column_column.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_column_row.config.threads(), 1)
    matmul_wgmma_column_row(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_column_row.problem, wgmma_column_row.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_square.config.threads(), 1)
    matmul_wgmma_square(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_square.problem, wgmma_square.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_high.config.threads(), 1)
    matmul_wgmma_high(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_high.problem, wgmma_high.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_gelu.config.threads(), 1)
    matmul_wgmma_gelu(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_gelu.problem, wgmma_gelu.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_silu.config.threads(), wgmma_silu.config.blocks)
    matmul_wgmma_silu(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_silu.problem, wgmma_silu.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_relu.config.threads(), 1)
    matmul_wgmma_relu(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_relu.problem, wgmma_relu.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_known.config.threads(), 1)
    matmul_wgmma_known(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_known.problem, wgmma_known.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_ping_pong.config.threads(), 1)
    matmul_wgmma_ping_pong(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_ping_pong.problem, wgmma_ping_pong.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_ping_pong_high.config.threads(), 1)
    matmul_wgmma_ping_pong_high(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_ping_pong_high.problem, wgmma_ping_pong_high.config>(p);
}
extern "C" __global__ void __launch_bounds__(wgmma_ping_pong_gelu.config.threads(), 1)
    matmul_wgmma_ping_pong_gelu(__grid_constant__ wgmma::params const p) {
    wgmma::run<wgmma_ping_pong_gelu.problem, wgmma_ping_pong_gelu.config>(p);
}
