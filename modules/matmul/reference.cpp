// Computes matrix products in double, and how far from them a kernel may be.
// SPDX-License-Identifier: Apache-2.0
//
// The reference sums in double, and carries a bound of the error beside each value: what roundings
// a kernel's float sums, its activation and its result may have. A result outside the bound is
// wrong.
module;

#include "matmul/problem.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

module spio.matmul;

import spio.spec;

namespace spio::matmul {

namespace {

constexpr double float_unit = 0x1p-24;

// Bounds the error of a value that was rounded to the type of the result: a relative error, and
// half of the smallest denormal number.
double rounding_error(double value, result_type type) {
    if (type == result_type::fp32) return float_unit * std::abs(value) + 0x1p-150;
    if (type == result_type::bf16) return 0x1p-8 * std::abs(value) + 0x1p-134;
    return 0x1p-11 * std::abs(value) + 0x1p-25;
}

// A value, and a bound on its error.
struct bounded_value {
    double value, bound;
};

// The activation of a value that is known within a bound. No activation is steeper than 1.13. The
// kernel computes the sigmoid with an error of 8 roundings, and the normal distribution with an
// error of 2e-7.
bounded_value activated(bounded_value x, activation activation) {
    constexpr double greatest_slope = 1.13;
    double const size = std::abs(x.value) + x.bound;
    switch (activation) {
    case activation::relu:
        return {x.value < 0 ? 0 : x.value, x.bound};
    case activation::silu:
        return {x.value / (1 + std::exp(-x.value)),
                greatest_slope * x.bound + 8 * float_unit * size};
    case activation::gelu:
        return {0.5 * x.value * std::erfc(-x.value / std::sqrt(2.0)),
                greatest_slope * x.bound + (2e-7 + 2 * float_unit) * size};
    case activation::none:
        break;
    }
    return x;
}

// Throws if an argument, which `name` names, has another number of elements than expected.
void check_size(problem const& problem, char const* name, std::size_t size, checked_size expected) {
    if (!expected.is_too_large() && size == static_cast<std::size_t>(expected.value)) return;
    throw error(error_kind::invalid, "reference", "matmul " + text_of(problem),
                std::string(name) + " has " + std::to_string(size) + " elements, not " +
                    std::to_string(expected.value));
}

// The numbers of a factor in `lines` lines along k (rows of a, or columns of b), one after the
// other. `along_k` says whether they lie so in memory too.
std::vector<double> lines_of(std::span<unsigned short const> bits, std::size_t lines,
                             std::size_t k_size, bool along_k, factor_type type) {
    std::vector<double> numbers(bits.size());
    std::size_t const matrices = bits.size() / (lines * k_size);
    for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
        std::size_t const first = matrix * lines * k_size;
        for (std::size_t line = 0; line < lines; ++line) {
            for (std::size_t k = 0; k < k_size; ++k) {
                auto const place = along_k ? line * k_size + k : k * lines + line;
                numbers[first + line * k_size + k] = number_of(bits[first + place], type);
            }
        }
    }
    return numbers;
}

} // namespace

double number_of(unsigned short bits, factor_type type) {
    return type == factor_type::bf16 ? bfloat16_number(bits) : half_number(bits);
}

bounded_results reference(problem const& problem, operands const& operands) {
    check(problem);
    auto const m_size = static_cast<std::size_t>(problem.m),
               n_size = static_cast<std::size_t>(problem.n),
               k_size = static_cast<std::size_t>(problem.k),
               batch = static_cast<std::size_t>(problem.batch);
    auto const elements = checked_size(batch) * problem.m * problem.n;
    if (elements.is_too_large() ||
        static_cast<std::size_t>(elements.value) > std::vector<double>().max_size()) {
        throw error(error_kind::invalid, "reference", "matmul " + text_of(problem),
                    "the product has more elements than can be counted");
    }
    check_size(problem, "a", operands.a.size(), checked_size(batch) * problem.m * problem.k);
    check_size(problem, "b", operands.b.size(), checked_size(batch) * problem.k * problem.n);
    check_size(problem, "the bias", operands.bias.size(), problem.bias ? n_size : 0);
    check_size(problem, "c", operands.c.size(), problem.residual ? elements : checked_size(0));
    auto const a = lines_of(operands.a, m_size, k_size, problem.a == order::rows, problem.type);
    auto const b = lines_of(operands.b, n_size, k_size, problem.b == order::columns, problem.type);

    bounded_results results;
    results.values.resize(static_cast<std::size_t>(elements.value));
    results.bounds.resize(results.values.size());
    // The error of a float sum of k products, in any order, relative to the sum of their
    // magnitudes.
    double const products = problem.k;
    double const gamma = products * float_unit / (1 - products * float_unit);
    // One row of the result, of those of all products of the batch.
    auto const compute = [&](std::size_t row) {
        auto const* const a_line = &a[row * k_size];
        auto const* const b_lines = &b[row / m_size * n_size * k_size];
        for (std::size_t n = 0; n < n_size; ++n) {
            double sum = 0, magnitude = 0;
            for (std::size_t k = 0; k < k_size; ++k) {
                double const product = a_line[k] * b_lines[n * k_size + k];
                sum += product;
                magnitude += std::abs(product);
            }
            bounded_value result = {sum, gamma * magnitude};
            if (problem.bias) {
                result.value += operands.bias[n];
                result.bound += float_unit * (std::abs(result.value) + result.bound);
            }
            result = activated(result, problem.activation);
            std::size_t const place = row * n_size + n;
            if (problem.residual) {
                result.value += operands.c[place];
                result.bound += float_unit * (std::abs(result.value) + result.bound);
            }
            results.values[place] = result.value;
            results.bounds[place] =
                result.bound +
                rounding_error(std::abs(result.value) + result.bound, problem.result);
        }
    };
    // All processors take the next row until there is none.
    std::atomic<std::size_t> next = 0;
    auto const work = [&] {
        for (std::size_t row; (row = next++) < batch * m_size;) compute(row);
    };
    std::vector<std::jthread> others;
    for (unsigned n = 1; n < std::thread::hardware_concurrency(); ++n) others.emplace_back(work);
    work();
    others.clear();
    return results;
}

} // namespace spio::matmul
