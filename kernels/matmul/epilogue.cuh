// What happens to the sums of a product before they are stored: bias, activation, residual.
// SPDX-License-Identifier: Apache-2.0
//
// The problem says, when the kernel is compiled, which of these there are. The bias has a float for
// each column of the product. The residual is a matrix of the product's sizes that is added last:
// c, whose rows are c.leading elements apart and, in a batch of products, whose matrices are
// c.batch elements apart. position.total<D>() is the whole place along D, in single steps.
#pragma once

#include "matmul/factor_tiles.cuh"
#include "spio/tile/elementary_functions.cuh"

namespace spio::matmul {

// The sigmoid function.
__device__ inline float sigmoid(float x) { return 1 / (1 + exponential(-x)); }
// The cumulative distribution of the normal distribution.
__device__ inline float normal_distribution(float x) {
    return 0.5F + 0.5F * error_function(0.707106781F * x); // by the square root of 1 / 2
}
template <activation Function> __device__ float activated(float x) {
    if constexpr (Function == activation::relu) {
        return x < 0 ? 0 : x;
    } else if constexpr (Function == activation::silu) {
        return x * sigmoid(x);
    } else if constexpr (Function == activation::gelu) {
        return x * normal_distribution(x);
    } else {
        return x;
    }
}

// An epilogue is called with the position of the first of two neighbouring columns, and with their
// sums, which it changes. Positions may lie beyond the matrix; such sums are not stored. Of some
// positions it is called twice, with the same sums.
//     epilogue(make_coordinates(batch, m, n), pair)
template <problem Problem> struct standard_epilogue {
    using result = typename result_of<Problem.result>::type;

    sizes size;
    float const* bias;
    matrix<void const> c;

    template <class Position>
    __device__ void operator()(Position const& position, vec<float, 2>& pair) const {
        constexpr bool reads = Problem.bias || Problem.residual;
        int const m = M(position.template total<M>()).get();
        int const n = N(position.template total<N>()).get();
#pragma unroll
        for (int column = 0; column < 2; ++column) {
            bool const is_inside = !reads || (m < size.m && n + column < size.n);
            float value = pair[column];
            if constexpr (Problem.bias) {
                if (is_inside) value += bias[n + column];
            }
            value = activated<Problem.activation>(value);
            if constexpr (Problem.residual) {
                auto const* const rows = static_cast<result const*>(c.data);
                long long const row =
                    position.template total<BATCH>().get() * c.batch + m * c.leading;
                if (is_inside) value += static_cast<float>(rows[row + n + column]);
            }
            pair[column] = value;
        }
    }
};
// Whether an epilogue changes sums. One that does not is not called, which compiles faster.
template <class Epilogue> inline constexpr bool changes_sums = true;
template <problem Problem>
inline constexpr bool changes_sums<standard_epilogue<Problem>> =
    Problem.bias || Problem.activation != activation::none || Problem.residual;

} // namespace spio::matmul
