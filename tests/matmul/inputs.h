// Random matrices for matrix products, with other values between their rows or columns.
// SPDX-License-Identifier: Apache-2.0
//
// The product is d = activation(a b + bias) + c, where c is the residual; what follows the sums of
// a b is the epilogue.
#pragma once

#include "products.h"

#include <cstddef>
#include <random>
#include <vector>

namespace spio::test::matmul_products {

// A batch of matrices whose lines (rows or columns) are further apart than they are long, with
// other values between them.
struct stored_matrix {
    int lines, width, leading, batch;
    std::vector<unsigned short> bits = {};

    // The index of an element of a line, from the start of the batch.
    std::size_t place(int matrix, int line, int element) const {
        return (static_cast<std::size_t>(matrix) * static_cast<std::size_t>(lines) +
                static_cast<std::size_t>(line)) *
                   static_cast<std::size_t>(leading) +
               static_cast<std::size_t>(element);
    }
    std::size_t size() const { return place(batch, 0, 0); }
    // The elements of the matrices without what is between their lines.
    std::vector<unsigned short> dense() const {
        std::vector<unsigned short> values;
        for (int matrix = 0; matrix < batch; ++matrix) {
            for (int line = 0; line < lines; ++line) {
                auto const* const first = &bits[place(matrix, line, 0)];
                values.insert(values.end(), first, first + width);
            }
        }
        return values;
    }
    // These numbers as a matrix in the device's memory.
    template <class T> matmul::matrix<T> view(T* data) const {
        return {data, leading, static_cast<long long>(lines) * leading};
    }
};

// The bits of a random number of either sign, from 1/8 to 4: one of five exponents and any
// mantissa.
inline unsigned short drawn_bits(std::mt19937& random, factor_type type) {
    unsigned const bits = static_cast<unsigned>(random());
    return static_cast<unsigned short>(type == bf16
                                           ? (bits & 0x807f) | ((124 + bits / 256 % 5) << 7)
                                           : (bits & 0x83ff) | ((12 + bits / 1024 % 5) << 10));
}
inline constexpr unsigned short not_a_number = 0x7fff; // in fp16 and in bf16

// A batch of random matrices of `lines` lines of `width` numbers. Lines are further apart than
// their numbers take, with NaN between them.
inline stored_matrix draw(std::mt19937& random, problem const& problem, int lines, int width) {
    int const unit = problem.alignment / 2;
    int const leading = (width + unit - 1) / unit * unit + unit * static_cast<int>(random() % 3);
    stored_matrix matrix = {
        .lines = lines, .width = width, .leading = leading, .batch = problem.batch};
    matrix.bits.assign(matrix.size(), not_a_number);
    for (int m = 0; m < matrix.batch; ++m) {
        for (int line = 0; line < lines; ++line) {
            for (int i = 0; i < width; ++i) {
                matrix.bits[matrix.place(m, line, i)] = drawn_bits(random, problem.type);
            }
        }
    }
    return matrix;
}

// Random factors a and b, the residual c and the bias of a problem.
struct inputs {
    stored_matrix a, b, c;
    std::vector<float> bias;

    inputs(std::mt19937& random, problem const& p)
        : a(draw(random, p, p.a == rows ? p.m : p.k, p.a == rows ? p.k : p.m)),
          b(draw(random, p, p.b == rows ? p.k : p.n, p.b == rows ? p.n : p.k)),
          c(draw(random, p, p.residual ? p.m : 0, p.n)) {
        for (int n = 0; p.bias && n < p.n; ++n) {
            bias.push_back(std::uniform_real_distribution<float>(-2, 2)(random));
        }
    }
};

} // namespace spio::test::matmul_products
