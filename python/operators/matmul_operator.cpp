// The matrix product as an operator: its factors lie by rows or by columns, or are copied.
// SPDX-License-Identifier: Apache-2.0
//
// An operator is a function that PyTorch calls by name. A matrix lies by rows or by columns: its
// lines have no gaps between their elements, and `leading` is the distance of two lines. The kernel
// computes activation(a b + bias) + residual for one matrix or a batch of them, in one launch.
#include "launches.h"
#include "operators.h"
#include "tensors.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace spio::pytorch {

namespace {

// A matrix, or a batch of matrices, and the tensor that has its memory.
struct stored_matrix {
    Tensor tensor; // keeps the memory
    matrix view;
};

// A tensor as kernels read it: lines without gaps between their elements, whose addresses are
// multiples of 16 bytes. Another tensor is copied, or refused if a row has no multiple of 16 bytes.
stored_matrix matrix_of(Tensor const& tensor, char const* name) {
    auto const rank = tensor.dim();
    auto const rows = tensor.size(rank - 2), columns = tensor.size(rank - 1);
    auto const row_stride = tensor.stride(rank - 2), column_stride = tensor.stride(rank - 1);
    auto const batch = rank == 3 && tensor.size(0) > 1 ? tensor.stride(0) : 0;
    auto const element_bytes = static_cast<std::int64_t>(tensor.element_size());
    bool const is_aligned = reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 16 == 0 &&
                            batch * element_bytes % 16 == 0 &&
                            (batch != 0 || rank == 2 || tensor.size(0) == 1);
    auto const view = [&](std::int64_t leading, bool is_by_rows) -> stored_matrix {
        return {tensor, {tensor.mutable_data_ptr(), leading, batch, is_by_rows}};
    };
    auto const is_line = [&](std::int64_t stride, std::int64_t neighbour, std::int64_t width) {
        return is_aligned && stride == 1 && neighbour >= width &&
               neighbour * element_bytes % 16 == 0;
    };
    if (is_line(column_stride, row_stride, columns)) return view(row_stride, /*is_by_rows=*/true);
    if (is_line(row_stride, column_stride, rows)) return view(column_stride, /*is_by_rows=*/false);
    if (columns * element_bytes % 16 != 0)
        fail("spio::matmul: the rows of ", name, " have ", columns * element_bytes,
             " bytes, which is no multiple of 16");
    auto copy =
        new_dense(tensor, {rank == 3 ? tensor.size(0) : 1, rows, columns}, tensor.scalar_type());
    if (rank == 2) copy = torch::stable::select(copy, 0, 0);
    torch::stable::copy_(copy, tensor);
    return {copy,
            {.data = copy.mutable_data_ptr(),
             .leading = columns,
             .batch = rank == 3 ? rows * columns : 0,
             .is_by_rows = true}};
}

// The type of the sums, or of the factors.
ScalarType result_type_of(Tensor const& a, bool has_float_result) {
    auto const type = a.scalar_type();
    bool const is_short = type == ScalarType::Half || type == ScalarType::BFloat16;
    return is_short && has_float_result ? ScalarType::Float : type;
}

} // namespace

activation activation_named(std::string const& name) {
    if (name == "none") return activation::none;
    if (name == "relu") return activation::relu;
    if (name == "silu") return activation::silu;
    if (name != "gelu")
        fail("spio::matmul: the activation is ", name, ", but must be none, relu, silu or gelu");
    return activation::gelu;
}

void check_matmul(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
                  std::optional<Tensor> const& residual, bool has_float_result) {
    auto const rank = a.dim();
    if ((rank != 2 && rank != 3) || b.dim() != rank)
        fail("spio::matmul: a has ", rank, " dimensions and b ", b.dim(),
             ", but must have two or three both");
    auto const batch = rank == 3 ? a.size(0) : 1;
    auto const m = a.size(rank - 2), k = a.size(rank - 1), n = b.size(rank - 1);
    if (b.size(rank - 2) != k || (rank == 3 && b.size(0) != batch))
        fail("spio::matmul: a is ", batch, " x ", m, " x ", k, " and b ", rank == 3 ? b.size(0) : 1,
             " x ", b.size(rank - 2), " x ", n);
    constexpr std::int64_t most = 1 << 24, most_matrices = 65535; // as of spio::matmul::problem
    if (std::min(n, k) <= 0 || std::max({m, n, k}) > most || batch > most_matrices)
        fail("spio::matmul: a size is 0 or too large: ", batch, ", ", m, ", ", n, ", ", k);
    if (a.scalar_type() != b.scalar_type())
        fail("spio::matmul: a has elements of type ", torch::headeronly::toString(a.scalar_type()),
             " and b of type ", torch::headeronly::toString(b.scalar_type()));
    check_same_device("matmul", a, b);
    check_bias("matmul", bias, n, a);
    if (!residual) return;
    bool const has_sizes = residual->dim() == rank && residual->size(rank - 2) == m &&
                           residual->size(rank - 1) == n &&
                           (rank == 2 || residual->size(0) == batch);
    if (!has_sizes || residual->scalar_type() != result_type_of(a, has_float_result))
        fail("spio::matmul: the residual must have the sizes and the type of the result");
    check_same_device("matmul", *residual, a);
}

// Checks sizes and types, finds how the factors lie in memory, and launches the product.
Tensor matmul_by_kernels(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
                         std::string const& activation, std::optional<Tensor> const& residual,
                         bool has_float_result) {
    check_process(a);
    check_matmul(a, b, bias, residual, has_float_result);
    auto const rank = a.dim();
    auto const batch = rank == 3 ? a.size(0) : 1;
    auto const m = a.size(rank - 2), k = a.size(rank - 1), n = b.size(rank - 1);
    auto const chosen = activation_named(activation);
    auto const type = element_of(matmul_types, "matmul", "a", a);
    auto const result_type = result_type_of(a, has_float_result);
    auto const result =
        rank == 3 ? new_dense(a, {batch, m, n}, result_type) : new_dense(a, {m, n}, result_type);
    stored_matrix added = {result, {}};
    if (residual) {
        added = matrix_of(*residual, "the residual");
        if (!added.view.is_by_rows) fail("spio::matmul: the residual must lie by rows");
    }
    if (batch == 0 || m == 0) return result; // it has no elements
    auto const first = matrix_of(a, "a"), second = matrix_of(b, "b");
    auto const shift = bias_of("matmul", bias, static_cast<int>(n), a);
    matmul(place_of(a),
           {.m = static_cast<int>(m),
            .n = static_cast<int>(n),
            .k = static_cast<int>(k),
            .batch = static_cast<int>(batch),
            .type = type,
            .result = has_float_result ? element::fp32 : type,
            .activation = chosen},
           first.view, second.view, shift.data, added.view, matrix_of(result, "the result").view);
    return result;
}

} // namespace spio::pytorch
