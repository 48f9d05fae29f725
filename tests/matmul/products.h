// The matrix products under test: kernels of all orders, types, epilogues and shapes of blocks.
// SPDX-License-Identifier: Apache-2.0
//
// The product is d = activation(a b + bias) + c, where c is the residual; what follows the sums of
// a b is the epilogue.
#pragma once

#include "matmul/cp_async.h"
#include "matmul/wgmma.h"

namespace spio::test::matmul_products {

using matmul::activation;
using matmul::factor_type;
using matmul::known_sizes;
using matmul::order;
using matmul::problem;
using matmul::result_type;

// A problem, with how blocks share it.
template <class Config> struct product {
    matmul::problem problem;
    Config config;
};

// A problem whose kernel takes any sizes: m, n and k are 0 until the launch.
constexpr problem any_sizes(factor_type type, result_type result, order a, order b) {
    return {.m = 0,
            .n = 0,
            .k = 0,
            .type = type,
            .result = result,
            .a = a,
            .b = b,
            .made_for = known_sizes::none};
}
// The same problem with what follows its sums.
constexpr problem with_epilogue(problem problem, bool bias, activation activation, bool residual) {
    problem.bias = bias;
    problem.activation = activation;
    problem.residual = residual;
    return problem;
}
inline constexpr auto bf16 = factor_type::bf16, fp16 = factor_type::fp16;
inline constexpr auto rows = order::rows, columns = order::columns;

inline constexpr problem row_column = any_sizes(bf16, result_type::bf16, rows, columns);
inline constexpr problem row_row = any_sizes(fp16, result_type::fp16, rows, rows);
inline constexpr problem column_column = any_sizes(bf16, result_type::fp32, columns, columns);
inline constexpr problem column_row = any_sizes(fp16, result_type::fp32, columns, rows);
inline constexpr problem gelu =
    with_epilogue(row_row, /*bias=*/true, activation::gelu, /*residual=*/true);
inline constexpr problem silu =
    with_epilogue(column_row, /*bias=*/false, activation::silu, /*residual=*/true);
inline constexpr problem relu =
    with_epilogue(row_column, /*bias=*/true, activation::relu, /*residual=*/false);
// Sizes that the kernel knows, in no whole tiles.
inline constexpr problem known = {.m = 200, .n = 136, .k = 88, .b = columns};

// A product is named after the orders of a and b, or what else is special about it. Of each
// configuration, m and n are those of a block's tile, stages those of the ring of factors; a
// warpgroup stores results through buffers; cluster_m and cluster_n are blocks of a cluster. A band
// is rows of clusters that are passed column by column; splits are blocks that share the sum over
// k; an SM runs `blocks` at a time. Between them they have one to three consumers (m / 64), and
// clusters along m, n, k and several.
using wgmma_product = product<matmul::wgmma::config>;
inline constexpr wgmma_product wgmma_row_column = {
    row_column,
    {.m = 128, .n = 160, .stages = 4, .buffers = 2, .cluster_m = 4, .cluster_n = 1, .band = 2}};
inline constexpr wgmma_product wgmma_row_row = {
    row_row,
    {.m = 128, .n = 128, .stages = 3, .buffers = 3, .cluster_m = 1, .cluster_n = 4, .band = 1}};
inline constexpr wgmma_product wgmma_column_column = {column_column,
                                                      {.m = 128,
                                                       .n = 48,
                                                       .stages = 2,
                                                       .buffers = 2,
                                                       .cluster_m = 1,
                                                       .cluster_n = 2,
                                                       .band = 3,
                                                       .splits = 4}};
inline constexpr wgmma_product wgmma_column_row = {
    column_row,
    {.m = 64, .n = 192, .stages = 3, .buffers = 4, .cluster_m = 1, .cluster_n = 1, .band = 2}};
inline constexpr wgmma_product wgmma_square = {
    row_row,
    {.m = 128, .n = 128, .stages = 4, .buffers = 2, .cluster_m = 2, .cluster_n = 2, .band = 1}};
inline constexpr wgmma_product wgmma_high = {
    column_row,
    {.m = 192, .n = 128, .stages = 2, .buffers = 2, .cluster_m = 2, .cluster_n = 1, .band = 1}};
inline constexpr wgmma_product wgmma_gelu = {gelu,
                                             {.m = 64,
                                              .n = 128,
                                              .stages = 3,
                                              .buffers = 2,
                                              .cluster_m = 1,
                                              .cluster_n = 1,
                                              .band = 2,
                                              .splits = 8}};
inline constexpr wgmma_product wgmma_silu = {silu,
                                             {.m = 64,
                                              .n = 128,
                                              .stages = 2,
                                              .buffers = 2,
                                              .cluster_m = 2,
                                              .cluster_n = 1,
                                              .band = 2,
                                              .splits = 1,
                                              .blocks = 2}};
inline constexpr wgmma_product wgmma_relu = {relu,
                                             {.m = 64,
                                              .n = 112,
                                              .stages = 2,
                                              .buffers = 2,
                                              .cluster_m = 1,
                                              .cluster_n = 2,
                                              .band = 2,
                                              .splits = 4}};
inline constexpr wgmma_product wgmma_known = {known,
                                              {.m = 64,
                                               .n = 144,
                                               .stages = 3,
                                               .buffers = 3,
                                               .cluster_m = 2,
                                               .cluster_n = 1,
                                               .band = 2,
                                               .splits = 3}};
// In ping-pong each of two consumers has whole tiles: of 64 rows, or of two or three times as many.
inline constexpr wgmma_product wgmma_ping_pong = {row_column,
                                                  {.m = 64,
                                                   .n = 64,
                                                   .stages = 3,
                                                   .buffers = 2,
                                                   .cluster_m = 2,
                                                   .cluster_n = 1,
                                                   .band = 2,
                                                   .ping_pong = true}};
inline constexpr wgmma_product wgmma_ping_pong_high = {column_row,
                                                       {.m = 192,
                                                        .n = 64,
                                                        .stages = 2,
                                                        .buffers = 6,
                                                        .cluster_m = 1,
                                                        .cluster_n = 1,
                                                        .band = 1,
                                                        .ping_pong = true}};
inline constexpr wgmma_product wgmma_ping_pong_gelu = {gelu,
                                                       {.m = 128,
                                                        .n = 128,
                                                        .stages = 4,
                                                        .buffers = 3,
                                                        .cluster_m = 1,
                                                        .cluster_n = 2,
                                                        .band = 1,
                                                        .ping_pong = true}};

// The same problem with addresses and lines that are multiples of `alignment` bytes.
constexpr problem aligned(problem problem, int alignment) {
    problem.alignment = alignment;
    return problem;
}

// Of each configuration, m and n are those of a block's tile, which warps_m x warps_n warps share;
// stages are those of the ring of factors; a band is rows of tiles that are passed column by
// column.
using cp_async_product = product<matmul::cp_async::config>;
inline constexpr cp_async_product cp_async_row_column = {
    row_column, {.m = 128, .n = 128, .warps_m = 2, .warps_n = 4, .stages = 4, .band = 2}};
inline constexpr cp_async_product cp_async_row_row = {
    row_row, {.m = 64, .n = 128, .warps_m = 2, .warps_n = 2, .stages = 5, .band = 1}};
inline constexpr cp_async_product cp_async_column_column = {
    column_column, {.m = 128, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 2, .band = 3}};
inline constexpr cp_async_product cp_async_column_row = {
    column_row, {.m = 64, .n = 64, .warps_m = 1, .warps_n = 2, .stages = 3, .band = 2}};
inline constexpr cp_async_product cp_async_gelu = {
    aligned(gelu, /*alignment=*/8),
    {.m = 64, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 3, .band = 2}};
inline constexpr cp_async_product cp_async_silu = {
    aligned(silu, /*alignment=*/2),
    {.m = 64, .n = 64, .warps_m = 2, .warps_n = 1, .stages = 4, .band = 2}};
inline constexpr cp_async_product cp_async_relu = {
    aligned(relu, /*alignment=*/4),
    {.m = 64, .n = 128, .warps_m = 2, .warps_n = 4, .stages = 4, .band = 1}};
inline constexpr cp_async_product cp_async_known = {
    known, {.m = 64, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 3, .band = 2}};

} // namespace spio::test::matmul_products
