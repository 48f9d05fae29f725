// Launches matrix products.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a call. Rows of a row-major matrix, or columns of a
// column-major one, are its lines; `leading` is the distance of two neighbours. A target is a
// device with the stream of a launch; `memory` is a tensor where kernels can access it, which on
// the host device is a copy. The residual is added to the product.
#include "launches.h"
#include "machine.h"

#include <cstddef>
#include <memory>

import spio.launch;
import spio.matmul;
import spio.matmul.launch;

namespace spio::pytorch {

namespace {

matmul::order order_of(matrix const& matrix) {
    return matrix.is_by_rows ? matmul::order::rows : matmul::order::columns;
}
// From the first element of a matrix, or of a batch of them, to the end of the last.
std::size_t bytes_of(matmul_request const& request, matrix const& matrix, int rows, int columns,
                     element type) {
    auto const lines = matrix.is_by_rows ? rows : columns,
               width = matrix.is_by_rows ? columns : rows;
    auto const count = (request.batch - 1) * matrix.batch + (lines - 1) * matrix.leading + width;
    return static_cast<std::size_t>(count) * (type == element::fp32 ? 4 : 2);
}

matmul::problem problem_of(matmul_request const& request, matrix const& a, matrix const& b) {
    return {.m = request.m,
            .n = request.n,
            .k = request.k,
            .batch = request.batch,
            .type = request.type == element::fp16 ? matmul::factor_type::fp16
                                                  : matmul::factor_type::bf16,
            .result = static_cast<matmul::result_type>(request.result),
            .a = order_of(a),
            .b = order_of(b),
            .activation = static_cast<matmul::activation>(request.activation),
            .made_for = matmul::known_sizes::any_m};
}
key key_of(matmul::problem const& p) {
    return {p.m,
            p.n,
            p.k,
            p.batch,
            static_cast<int>(p.type),
            static_cast<int>(p.result),
            static_cast<int>(p.a),
            static_cast<int>(p.b),
            p.bias,
            static_cast<int>(p.activation),
            p.residual};
}

} // namespace

void matmul(place const& place, matmul_request const& request, matrix const& a, matrix const& b,
            float const* bias, matrix const& residual, matrix const& result) {
    target const target(place);
    auto problem = problem_of(request, a, b);
    problem.bias = bias != nullptr;
    problem.residual = residual.data != nullptr;
    auto const product = target.home.products.find(key_of(problem), [&] {
        return std::make_shared<matmul::product const>(target.loader(), problem);
    });
    auto const& [m, n, k, batch, type, result_type, activation] = request;
    using bytes = memory<std::byte const>;
    bytes const a_memory(target, a.data, bytes_of(request, a, m, k, type));
    bytes const b_memory(target, b.data, bytes_of(request, b, k, n, type));
    bytes const c_memory(target, residual.data, bytes_of(request, residual, m, n, result_type));
    memory<float const> const shift(target, bias, static_cast<std::size_t>(n));
    memory<std::byte> const d_memory(target, result.data,
                                     bytes_of(request, result, m, n, result_type));
    product->launch(*target.stream, {.sizes = {m, n, k, batch},
                                     .a = {a_memory.data(), a.leading, a.batch},
                                     .b = {b_memory.data(), b.leading, b.batch},
                                     .bias = shift.data(),
                                     .c = {c_memory.data(), residual.leading, residual.batch},
                                     .d = {d_memory.data(), result.leading, result.batch}});
    d_memory.finish(target);
}

} // namespace spio::pytorch
