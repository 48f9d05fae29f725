// Convolutions in double, and how far from them a kernel may be.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// problem has one of these passes. x is the input, y the output, and dy the gradient of y; tensors
// are arrays in the order N H W C.
module;

#include "conv2d/problem.h"

#include <cstddef>
#include <span>
#include <vector>

export module spio.conv2d:reference;

export namespace spio::conv2d {

// Sums of products, and the sums of the magnitudes of these products, from which bound() is
// computed. `errors` are what else a value may be wrong by before its last rounding; if it is
// empty, that is nothing.
struct double_sums {
    std::vector<double> values, magnitudes, errors = {};

    double error(std::size_t i) const { return errors.empty() ? 0 : errors[i]; }
};

// What fprop and dgrad read. Tensors of elements are given by the bits of the problem's type. Those
// that the problem does not have are empty.
struct double_inputs {
    std::span<unsigned short const> input, filter;
    std::span<float const> bias = {}, scale = {};
    std::span<unsigned short const> residual = {};
    std::span<unsigned short const> preactivation = {}; // of the input, in dgrad
};
// The output of fprop or dgrad, in double, and that of fprop's second output.
struct double_outputs {
    double_sums output, preactivation;
};
double_outputs reference(problem const&, double_inputs const&);
double_sums reference(problem const&, std::span<unsigned short const> input,
                      std::span<unsigned short const> filter, std::span<float const> bias);

// An activation and its derivative.
double activated(double, activation);
double derivative(double, activation);
// How far from these a kernel may be: for an activation in parts of its value, for a derivative as
// it is.
inline constexpr double activation_unit = 0x1p-16;

// The gradients of the filter and of the bias.
struct double_gradients {
    double_sums filter, bias;
};
double_gradients reference_gradients(problem const&, std::span<unsigned short const> x,
                                     std::span<unsigned short const> dy);

// The most products that an element of the result sums (at the border of an image it sums fewer),
// the bias, a scale and a residual counted as one each.
long long products_of(problem const&);

// The largest error that an element of a kernel's result may have. It assumes that products are
// added in float, in any order, with an error of up to the last bit of each result, and that the
// sum is then rounded to the precision of the result. There is no bound from 2^23 products on.
// `products` is products_of() the problem; value and magnitude are those of double_sums, `error` is
// added to that of the sum.
double bound(long long products, double value, double magnitude, precision, double error = 0);
// The bound of a sum.
double error_bound(problem const&, double_sums const&, std::size_t i);

// The number that the bits of an element stand for.
double number_of(unsigned short bits, element_type);

} // namespace spio::conv2d
