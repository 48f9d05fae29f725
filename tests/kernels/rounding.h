// What rounding can do to a sum of products: the bound that tests hold kernels to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace spio::test {

// The error of one rounding to a format: relative, and absolute where numbers are tiny.
struct rounding {
    double unit;
    double least;
};
inline constexpr rounding to_float = {0x1p-24, 0x1p-150};
inline constexpr rounding to_half = {0x1p-11, 0x1p-25};
inline constexpr rounding to_bfloat16 = {0x1p-8, 0x1p-134};

// gamma_k, the relative error of k roundings after each other, each of the relative error `unit`.
constexpr double gamma(int k, double unit) { return k * unit / (1 - k * unit); }

// A sum of products in double, and how far from it a kernel may be that adds them up in float, in
// any order, and rounds the sum to a format: u |y| + gamma_k sum |a b|.
class sum_of_products {
  public:
    // Adds the product of a and b.
    void add(double a, double b) {
        sum_ += a * b;
        magnitude_ += std::abs(a * b);
        ++count_;
    }
    double value() const { return sum_; }
    // How far a result may be from the sum. `result` is the rounding to its format, and
    // `unit_of_addition` the relative error of one addition, which may not round to nearest.
    double bound(rounding const& result = to_float, double unit_of_addition = to_float.unit) const {
        double const summed =
            gamma(count_, unit_of_addition) * magnitude_ + count_ * to_float.least;
        return summed + result.unit * (std::abs(sum_) + summed) + result.least;
    }

  private:
    double sum_ = 0;
    double magnitude_ = 0;
    int count_ = 0;
};

} // namespace spio::test
