// What fprop does to a sum before it stores it, and dgrad to the gradient of y before it uses it.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. The preactivation is the value of
// which the activation (ReLU, SiLU, GELU) is taken; the residual is a tensor of the size of the
// output that is added after it. Convolutions are grouped: each group of 8 channels has its own
// filter. A cell is the 16 bytes of the 8 channels of a group at one position.
#pragma once

#include "conv2d/activation.cuh"
#include "conv2d/channel_floats.cuh"

namespace spio::conv2d {

// The last step of a kernel may be any callable, which a kernel of one's own passes to run(). It is
// called with the position of the first of two neighbouring channels, and with their values, which
// it changes before they are rounded. Positions may lie beyond the output; such values are not
// stored.
//     last(make_coordinates(n, p, q, k), pair)
struct no_last_step {
    template <class Position> __device__ void operator()(Position const&, vec<float, 2>&) const {}
};

// The two channels of a lane: what its accumulators begin with, and what happens to their sums.
//     preactivation = scale * sum + bias
//     output        = activation(preactivation) + residual
template <problem Problem> struct channel_epilogue {
    using pair_of_elements = pair<element<Problem>>;

    vec<float, 2> bias;
    vec<float, 2> scale;

    __device__ channel_epilogue(float const* biases, float const* scales, fold<K, 8> group)
        : bias(floats_of_lane<Problem, Problem.bias>(biases, group)),
          scale(floats_of_lane<Problem, Problem.scale>(scales, group)) {}

    // Without a scale the bias is in the sums from the start.
    __device__ vec<float, 2> initial() const {
        if constexpr (Problem.scale) {
            return {0, 0};
        } else {
            return bias;
        }
    }
    // Turns two sums into the values before the activation. Without a scale they already are.
    __device__ void make_preactivation(vec<float, 2>& sums) const {
        if constexpr (Problem.scale) {
            sums[0] = multiply_add(sums[0], scale[0], bias[0]);
            sums[1] = multiply_add(sums[1], scale[1], bias[1]);
        }
    }
    __device__ void activate(vec<float, 2>& values) const {
        values[0] = activated<Problem.activation>(values[0]);
        values[1] = activated<Problem.activation>(values[1]);
    }
    // The product with 1 keeps compilers from fusing the sum with a product before it.
    __device__ void add_residual(vec<float, 2>& values, pair_of_elements const& residual) const {
        values[0] = multiply_add(values[0], 1, static_cast<float>(residual.first()));
        values[1] = multiply_add(values[1], 1, static_cast<float>(residual.second()));
    }
};

// Rounds the result of an epilogue. A ReLU without a residual or a user's last step is left to this
// conversion, which sets negative numbers to 0 at no cost.
template <problem Problem, class Last> struct rounding {
    static constexpr bool is_relu = Problem.pass == direction::fprop &&
                                    Problem.activation == activation::relu && !Problem.residual &&
                                    same<Last, no_last_step>;

    __device__ pair<element<Problem>> operator()(float first, float second) const {
        if constexpr (is_relu) {
            return pair<element<Problem>>::rectified(first, second);
        } else {
            return pair<element<Problem>>(first, second);
        }
    }
};

// A cell of the gradient of y times the derivative of the activation at the preactivation.
template <problem Problem>
__device__ cell<Problem> times_derivative(cell<Problem> const& gradient,
                                          cell<Problem> const& preactivation) {
    using pairs = vec<pair<element<Problem>>, group_width / 2>;
    auto const gradients = bits_as<pairs>(gradient), inputs = bits_as<pairs>(preactivation);
    pairs products;
#pragma unroll
    for (int n = 0; n < pairs::size(); ++n) {
        vec<float, 2> const slopes = {
            derivative<Problem.activation>(static_cast<float>(inputs[n].first())),
            derivative<Problem.activation>(static_cast<float>(inputs[n].second()))};
        if constexpr (Problem.activation == activation::relu) {
            unsigned const mask =
                (slopes[0] == 0 ? 0 : 0xffffU) | (slopes[1] == 0 ? 0 : 0xffff0000U);
            products[n].bits = gradients[n].bits & mask;
        } else {
            products[n] =
                pair<element<Problem>>(static_cast<float>(gradients[n].first()) * slopes[0],
                                       static_cast<float>(gradients[n].second()) * slopes[1]);
        }
    }
    return bits_as<cell<Problem>>(products);
}

} // namespace spio::conv2d
