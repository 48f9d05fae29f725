// The typed product: fragments, and tensors of them, over whatever dimensions they share.
// SPDX-License-Identifier: Apache-2.0
//
// A fragment is the part of a matrix operand that a lane holds. A tensor of fragments is an array
// of them with typed dimensions; a traversal goes through such positions by one number. A function
// that is deleted is an error message: the names of its template parameters say what is wrong.
#pragma once

#include "spio/tile/fragment.cuh"
#include "spio/tile/traversal.h"

namespace spio {

// A fragment as mma.sync takes it: the floats, or the words, of each 8 columns.
template <int Columns> struct sums_by_column {
    vec<float, 4> columns[Columns];
};
template <int Columns, int Depth> struct words_by_column {
    struct {
        unsigned words[Depth];
    } columns[Columns];
};

// c += a b: one instruction for each 8 columns.
template <factor T, auto I, auto J, auto K>
__device__ void multiply(sum_fragment<I, J>& c, left_fragment<T, I, K> const& a,
                         right_fragment<T, K, J> const& b) {
    constexpr int columns = sum_fragment<I, J>::count / 2;
    constexpr int depth = left_fragment<T, I, K>::count / 2;
    auto sum = bits_as<sums_by_column<columns>>(c);
    auto const left = bits_as<words_by_column<1, 2 * depth>>(a);
    auto const right = bits_as<words_by_column<columns, depth>>(b);
#pragma unroll
    for (int column = 0; column < columns; ++column) {
        if constexpr (same<T, half>) {
            machine::multiply_halves(sum.columns[column].items, left.columns[0].words,
                                     right.columns[column].words);
        } else {
            machine::multiply_bfloat16s(sum.columns[column].items, left.columns[0].words,
                                        right.columns[column].words);
        }
    }
    c = bits_as<sum_fragment<I, J>>(sum);
}
template <auto I, auto J, class Left, class NotItsFactor>
void multiply(sum_fragment<I, J>&, Left const&, NotItsFactor const&) = delete;

// The bases (dimensions without their folds) of a factor that the sum does not have.
template <class Bases, class Kept> struct lacking;
template <class... Bases, class Kept>
struct lacking<mp_list<Bases...>, Kept>
    : merged<mp_list<>, either<contains<Kept, Bases>, mp_list<>, mp_list<Bases>>...> {};

// Whether each base is in one list or in the other: a base of a factor is in the sum or in the
// other factor, and a base of the sum is in a factor.
template <class Bases, class ListA, class ListB> inline constexpr bool accounted_for = false;
template <class... Bases, class ListA, class ListB>
inline constexpr bool accounted_for<mp_list<Bases...>, ListA, ListB> =
    ((contains<ListA, Bases> || contains<ListB, Bases>) && ...);
// Whether two tensors have the same number of steps, of the same size, along each base that they
// share.
template <class Bases, class X, class Y> inline constexpr bool steps_agree = false;
template <class... Bases, class X, class Y>
inline constexpr bool steps_agree<mp_list<Bases...>, X, Y> = ([] {
    if constexpr (contains<typename X::bases, Bases> && contains<typename Y::bases, Bases>) {
        return same<step_of<typename X::layout_type, Bases>,
                    step_of<typename Y::layout_type, Bases>>;
    } else {
        return true;
    }
}() && ...);
template <class X, class Y>
inline constexpr bool same_steps =
    X::layout_type::is_static && Y::layout_type::is_static && steps_agree<typename X::bases, X, Y>;

// Tensors of fragments of which c += a b can be computed.
template <class C, class A, class B>
concept product =
    requires {
        typename C::layout_type;
        typename A::layout_type;
        typename B::layout_type;
    } && C::layout_type::is_static &&
    accounted_for<typename C::bases, typename A::bases, typename B::bases> &&
    accounted_for<typename A::bases, typename B::bases, typename C::bases> &&
    accounted_for<typename B::bases, typename A::bases, typename C::bases> && same_steps<A, B> &&
    same_steps<A, C> && same_steps<B, C>;

// c += a b over tensors of fragments: the product is summed over the dimensions that both factors
// have and c does not have.
//     multiply(c, a[stage], b[stage])
template <class C, class A, class B>
    requires product<C, A, B>
__device__ void multiply(C const& c, A const& a, B const& b) {
    using output_traversal = traversal_over<typename C::layout_type, typename C::bases>;
    using summed =
        typename traversal_over<typename A::layout_type,
                                typename lacking<typename A::bases, typename C::bases>::type>::type;
#pragma unroll
    for (int k = 0; k < summed::size(); ++k) {
#pragma unroll
        for (int n = 0; n < output_traversal::type::size(); ++n) {
            auto const position = output_traversal::serpentine(n) + summed(k);
            multiply(*c[position], *a[position], *b[position]);
        }
    }
}
template <class Sum, class Left, class NotItsFactor>
    requires(!product<Sum, Left, NotItsFactor>) && requires { typename NotItsFactor::layout_type; }
void multiply(Sum const&, Left const&, NotItsFactor const&) = delete;

} // namespace spio
