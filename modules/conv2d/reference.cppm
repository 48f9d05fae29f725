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
// computed.
struct double_sums {
    std::vector<double> values, magnitudes;
};

// The output of fprop or dgrad, in double. The input and the filter are given as the bits of
// elements of the problem's type. The bias is empty if the problem has none.
double_sums reference(problem const&, std::span<unsigned short const> input,
                      std::span<unsigned short const> filter, std::span<float const> bias);

// The gradients of the filter and of the bias.
struct double_gradients {
    double_sums filter, bias;
};
double_gradients reference_gradients(problem const&, std::span<unsigned short const> x,
                                     std::span<unsigned short const> dy);

// The most products that an element of the result sums (at the border of an image it sums fewer),
// the bias counted as one.
long long products_of(problem const&);

// The largest error that an element of a kernel's result may have. It assumes that products are
// added in float, in any order, with an error of up to the last bit of each result, and that the
// sum is then rounded to the precision of the result. There is no bound from 2^23 products on.
// `products` is products_of() the problem; value and magnitude are those of double_sums.
double bound(long long products, double value, double magnitude, precision);

// The number that the bits of an element stand for.
double number_of(unsigned short bits, element_type);

} // namespace spio::conv2d
