// The matrix product: its dimensions, problems and launch arguments.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and the options of a product; its kernel is compiled for it. Some sizes
// may be left to the launch.
#pragma once

#include "spio/launch_values.h"
#include "spio/tensor.h"
#include "spio/tile/half.h"

namespace spio::matmul {

// Dimensions. M, N: the rows and columns of the result. K: what the product sums over. BATCH: the
// products of a batch.
struct M : dim {
    using dim::dim;
};
struct N : dim {
    using dim::dim;
};
struct K : dim {
    using dim::dim;
};
struct BATCH : dim {
    using dim::dim;
};

// The types of the factors and of the result.
enum class factor_type { fp16, bf16 };
enum class result_type { fp16, bf16, fp32 };
// The order of a factor in memory: by rows or by columns.
enum class order { rows, columns };
enum class activation { none, relu, silu, gelu };
// The sizes that are known when a kernel is compiled. The launch passes the others; the problem
// still has values of these, for which the configuration is chosen.
enum class known_sizes { all, any_m, any_n, any_k, none };

// D = activation(A B + bias) + C, where A is m x k, B is k x n, and C and D are m x n, for each of
// a batch. The bias has a float for each column. C, the residual, has the type of D.
struct problem {
    int m, n, k;
    int batch = 1;
    factor_type type = factor_type::bf16;
    result_type result = result_type::bf16;
    order a = order::rows;
    order b = order::rows;
    bool bias = false;
    matmul::activation activation = matmul::activation::none;
    bool residual = false;
    known_sizes made_for = known_sizes::all;
    // The bytes of which the addresses of matrices, of their lines, and of the matrices of a batch
    // are multiples: 16, 8, 4, or the 2 of an element.
    int alignment = 16;

    constexpr bool has_static_m() const {
        return made_for != known_sizes::any_m && made_for != known_sizes::none;
    }
    constexpr bool has_static_n() const {
        return made_for != known_sizes::any_n && made_for != known_sizes::none;
    }
    constexpr bool has_static_k() const {
        return made_for != known_sizes::any_k && made_for != known_sizes::none;
    }
    // The same problem with zeros for the sizes that the launch passes.
    constexpr problem without_unknown() const {
        problem known = *this;
        if (!has_static_m()) known.m = 0;
        if (!has_static_n()) known.n = 0;
        if (!has_static_k()) known.k = 0;
        return known;
    }
    constexpr int result_bytes() const { return result == result_type::fp32 ? 4 : 2; }
};

// The elements of both factors that a step multiplies, along k: a line of 128 bytes.
inline constexpr int tile_k = 64;
inline constexpr int line_bytes = 128;

// The sizes of a launch, as a kernel takes them.
struct sizes {
    int m, n, k, batch;
};

// A matrix of each product of a batch: the distances between neighbouring rows (or columns, if it
// lies by columns), and between the matrices of neighbouring products, in elements.
template <class T> struct matrix {
    T* data = nullptr;
    long long leading = 0;
    long long batch = 0;
};

// The arguments of a launch. The types of a, b, c and d are those of the problem. The bias and c
// are read only if the problem has them.
struct args {
    matmul::sizes sizes;
    matrix<void const> a, b;
    float const* bias = nullptr;
    matrix<void const> c = {};
    matrix<void> d;
};

} // namespace spio::matmul
