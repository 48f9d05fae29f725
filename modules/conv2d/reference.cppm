// Convolutions in double, and how far from them a kernel may be.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"

#include <cstddef>
#include <span>
#include <vector>

export module spio.conv2d:reference;

export namespace spio::conv2d {

// Sums of products, and the sums of the products' magnitudes, of which error bounds are made.
struct double_sums {
    std::vector<double> values, magnitudes;
};

// What fprop or dgrad makes of what it reads, the bits of halves. The bias is empty where the
// problem has none.
double_sums reference(problem const&, std::span<unsigned short const> from,
                      std::span<unsigned short const> filter, std::span<float const> bias);

// The gradients of the filter and of the bias.
struct double_gradients {
    double_sums filter, bias;
};
double_gradients reference_gradients(problem const&, std::span<unsigned short const> x,
                                     std::span<unsigned short const> dy);

// How many products an element sums up, the bias counted as one.
long long products_of(problem const&);

// How far an element may be from its sum: so many products are added up in float, in any order,
// where an addition is off by up to the last bit of the result; then the sum is rounded. From 2^23
// products on nothing is known that way.
double bound(long long products, double value, double magnitude, precision made);

// The number that the bits of a half stand for.
double number_of(unsigned short half_bits);

} // namespace spio::conv2d
