// The numbers that references compute with: elements, activations, and the bounds of errors.
// SPDX-License-Identifier: Apache-2.0
//
// A reference computes a convolution in double; a kernel computes in float with factors of 16 bits,
// and its result may differ by the bound. A sum is known by its value, by its magnitude (the sum of
// the absolute values of its products), and by the error that the factors themselves have. wgrad is
// the pass that computes the gradient of the filter. A residual is a tensor that is added to the
// output. A checked_size is a number that becomes too large, and stays so, where an int would
// overflow.
module;

#include "conv2d/problem.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

module spio.conv2d;

import spio.spec;
import :reference;

namespace spio::conv2d {

double_sums reference(problem const& problem, std::span<unsigned short const> input,
                      std::span<unsigned short const> filter, std::span<float const> bias) {
    return reference(problem, {.input = input, .filter = filter, .bias = bias}).output;
}

// The activation of x, and below its derivative there.
double activated(double x, activation function) {
    bool const is_lowest = std::isinf(x) && x < 0; // where the formulas are infinity times 0
    switch (function) {
    case activation::relu:
        return x < 0 ? 0 : x;
    case activation::silu:
        return is_lowest ? 0 : x / (1 + std::exp(-x));
    case activation::gelu:
        return is_lowest ? 0 : x * std::erfc(-x * std::numbers::sqrt2 / 2) / 2;
    default:
        return x;
    }
}
double derivative(double x, activation function) {
    double const sigmoid = 1 / (1 + std::exp(-x));
    switch (function) {
    case activation::relu:
        return x <= 0 ? 0 : 1;
    case activation::silu:
        return sigmoid * (1 + x * (1 - sigmoid));
    case activation::gelu:
        return std::erfc(-x * std::numbers::sqrt2 / 2) / 2 +
               x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    default:
        return 1;
    }
}

// The number of products and additions in one result.
long long products_of(problem const& problem) {
    if (problem.pass != direction::wgrad) {
        return 1LL * group_width * problem.taps() + problem.bias + problem.scale + problem.residual;
    }
    return (checked_size(problem.n) * problem.p() * problem.q()).value;
}

// The greatest error of a sum of so many products that is rounded to the precision.
double bound(long long products, double value, double magnitude, precision precision,
             double error) {
    // A tensor core truncates sums instead of rounding them, so its error is up to 2^-23, twice the
    // 2^-24 of a rounded float.
    constexpr double unit = 0x1p-23, least = 0x1p-150;
    auto const count = static_cast<double>(products);
    if (count * unit >= 1) return std::numeric_limits<double>::infinity();
    double const summed = count * unit / (1 - count * unit) * magnitude + count * least + error;
    // The last rounding: relative, and absolute for tiny numbers.
    bool const is_fp16 = precision == conv2d::precision::fp16;
    bool const is_bf16 = precision == conv2d::precision::bf16;
    double const rounding = is_fp16 ? 0x1p-11 : is_bf16 ? 0x1p-8 : 0x1p-24;
    double const tiny = is_fp16 ? 0x1p-25 : is_bf16 ? 0x1p-134 : least;
    return summed + rounding * (std::abs(value) + summed) + tiny;
}

// How far a kernel's result number i may be from its value in double.
double error_bound(problem const& problem, double_sums const& sums, std::size_t i) {
    return bound(products_of(problem), sums.values[i], sums.magnitudes[i],
                 precision_of(problem.type), sums.error(i));
}

// The number that 16 bits stand for.
double number_of(unsigned short bits, element_type type) {
    return type == element_type::bf16 ? bfloat16_number(bits) : half_number(bits);
}

} // namespace spio::conv2d
