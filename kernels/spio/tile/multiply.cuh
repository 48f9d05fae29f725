// The typed product: fragments, and tensors of them, over whatever dimensions they share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tile/fragment.cuh"

namespace spio {

// c += a b: one instruction for each 8 columns.
template <factor T, auto I, auto J, auto K>
__device__ void multiply(sum_fragment<I, J>& c, left_fragment<T, I, K> const& a,
                         right_fragment<T, K, J> const& b) {
    constexpr int columns = sum_fragment<I, J>::count / 2;
    constexpr int depth = left_fragment<T, I, K>::count / 2;
    unsigned left[2 * depth];
#pragma unroll
    for (int n = 0; n < 2 * depth; ++n) left[n] = a.of[n].bits;
#pragma unroll
    for (int column = 0; column < columns; ++column) {
        unsigned right[depth];
#pragma unroll
        for (int n = 0; n < depth; ++n) right[n] = b.of[depth * column + n].bits;
        vec<float, 2>* const at = c.of + 2 * column;
        float sum[4] = {at[0][0], at[0][1], at[1][0], at[1][1]};
        if constexpr (same<T, half>) {
            machine::multiply_halves(sum, left, right);
        } else {
            machine::multiply_bfloat16s(sum, left, right);
        }
        at[0] = {sum[0], sum[1]};
        at[1] = {sum[2], sum[3]};
    }
}

// The steps of some bases of a tensor, as one number.
template <class Layout, class Base>
using step_of = bounded<fold<Base, Layout::table.finest_stride(Layout::template base<Base>)>,
                        Layout::table.extent(Layout::template base<Base>) /
                            Layout::table.finest_stride(Layout::template base<Base>)>;
template <class Layout, class Bases> struct walk_of;
template <class Layout, template <class...> class List, class... Bases>
struct walk_of<Layout, List<Bases...>> {
    using type = linear_index<step_of<Layout, Bases>...>;
    // The greatest number of steps after which only the last base has moved.
    static constexpr int row = [] {
        int last = 1;
        ((last = bound_of<step_of<Layout, Bases>>), ...);
        return last;
    }();
    // The n-th position, every other row backwards: where one factor changes, the other stays.
    static constexpr type serpentine(int n) {
        int const column = n % row;
        return type(n / row % 2 == 0 ? n : n - column + row - 1 - column);
    }
};

// The bases of A that C lacks: what a product sums over.
template <class A, class C> struct summed_of;
template <template <class...> class List, class... Bases, class C>
struct summed_of<List<Bases...>, C> {
    using type = typename concatenation<
        typename pick<!contains<C, Bases>, List<Bases>, List<>>::type...>::type;
};

} // namespace spio
