// The kernels of matrix products by mma.sync that are tested.
// SPDX-License-Identifier: Apache-2.0
//
// The product is d = activation(a b + bias) + c, where c is the residual; what follows the sums of
// a b is the epilogue. A kernel's name has the orders in which a and b are stored, or else its
// activation, or that it knows its sizes.
#include "products.h"

#include "matmul/cp_async.cuh"
#include "spio/facts.h"

namespace cp_async = spio::matmul::cp_async;
using namespace spio::test::matmul_products;

// No load of fragments is repeated because lanes read the same bank. Here, and not in the kernel,
// where each compilation at run time would prove it again.
template <cp_async_product Product, class Block = cp_async::block<Product.problem, Product.config>>
constexpr bool has_no_conflicts =
    spio::bank_conflicts<typename Block::a_tiles::box, typename Block::a_rows>() == 0 &&
    spio::bank_conflicts<typename Block::b_tiles::box, typename Block::b_rows>() == 0;
static_assert(has_no_conflicts<cp_async_row_column> && has_no_conflicts<cp_async_row_row> &&
              has_no_conflicts<cp_async_column_column> && has_no_conflicts<cp_async_column_row> &&
              has_no_conflicts<cp_async_gelu> && has_no_conflicts<cp_async_silu> &&
              has_no_conflicts<cp_async_relu> && has_no_conflicts<cp_async_known>);

extern "C" __global__ void __launch_bounds__(cp_async_row_column.config.threads(), 1)
    matmul_cp_async_row_column(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_row_column.problem, cp_async_row_column.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_row_row.config.threads(), 1)
    matmul_cp_async_row_row(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_row_row.problem, cp_async_row_row.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_column_column.config.threads(), 1)
    matmul_cp_async_column_column(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_column_column.problem, cp_async_column_column.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_column_row.config.threads(), 1)
    matmul_cp_async_column_row(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_column_row.problem, cp_async_column_row.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_gelu.config.threads(), 1)
    matmul_cp_async_gelu(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_gelu.problem, cp_async_gelu.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_silu.config.threads(), 1)
    matmul_cp_async_silu(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_silu.problem, cp_async_silu.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_relu.config.threads(), 1)
    matmul_cp_async_relu(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_relu.problem, cp_async_relu.config>(p);
}
extern "C" __global__ void __launch_bounds__(cp_async_known.config.threads(), 1)
    matmul_cp_async_known(__grid_constant__ cp_async::params const p) {
    cp_async::run<cp_async_known.problem, cp_async_known.config>(p);
}
