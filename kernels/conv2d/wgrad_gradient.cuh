// Stores sums of wgrad to the gradients of the filter and the bias.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient dw of the filter. N, H, W, C are the images, rows, columns and channels of
// the input, K the channels of the output, R and S the rows and columns of the filter. axis<D>(n)
// is the dimension D with n values. A tensor is a pointer with axes, outermost first; a subscript
// is a position along some of its axes. Problem, the sizes and options of a call, is known when a
// kernel is compiled. A PAIR is two taps, whose gradients one accumulator has.
// for_lane<lane_index>(lane) says which elements of a fragment a lane holds. unfold() counts a fold
// in single steps. has_static_layer() says whether the channels and the padding are known when a
// kernel is compiled.
#pragma once

#include "conv2d/wgrad_fragments.cuh"

namespace spio::conv2d::wgrad {

// The gradient of the filter, in the type of elements that the problem asks for.
template <problem Problem>
using gradient_number =
    either<Problem.gradient == precision::fp32, float, conv2d::element<Problem>>;
template <problem Problem>
using gradient_of_filter = tensor<gradient_number<Problem>, axis<K>(most_channels(Problem)),
                                  axis<R>(Problem.r), axis<S>(Problem.s), axis<C>(group_width)>;

// Stores a lane's part of the accumulator of a group and a pair of taps. For each half of the pair
// it has two sums: those of two neighbouring channels of y, at the same channel of x. Params
// have the gradients' addresses, dw and dbias.
template <problem Problem, class Params, class Group, class Lane>
__device__ void store_gradient(Params const& p, Group group, int pair, Lane lane,
                               vec<float, 4> const& sum) {
    using number = gradient_number<Problem>;
    auto const part = for_lane<accumulator::lane_index>(lane);
    auto const channel = K(unfold(group).get() + 2 * part.template get<fold<K, 2>>().get());
    C const c(part.template get<D>().get());
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        auto const [contents, r, s] = pairs_of(Problem)(pair, half);
        if (contents == kind::tap) {
            auto const place =
                gradient_of_filter<Problem>(static_cast<number*>(p.dw))[channel][R(r)][S(s)][c];
            *place = number(sum[2 * half]);
            *place[K(1)] = number(sum[2 * half + 1]);
        } else if (contents == kind::bias && c == C(0)) {
            // A kernel that serves any layer takes a null pointer for no bias.
            if (!Problem.has_static_layer() && p.dbias == nullptr) continue;
            auto const place = tensor<float, axis<K>(most_channels(Problem))>(p.dbias)[channel];
            *place = sum[2 * half];
            *place[K(1)] = sum[2 * half + 1];
        }
    }
}

} // namespace spio::conv2d::wgrad
