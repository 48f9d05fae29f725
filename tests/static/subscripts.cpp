// A position names an element where each dimension of several positions has a subscript.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. rebase() makes a cursor that holds its
// address, computed once; it is called committed.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::fold;
using K8 = fold<K, 8>;

// Whether a position names an element, and whether a member of it can be named; both or neither.
template <class Position>
concept has_element = requires(Position p) { *p; };
template <class Position>
concept has_members = requires(Position p) { p.operator->(); };
template <class Position> inline constexpr bool is_element = has_element<Position>;
template <class Position>
inline constexpr bool agrees = has_element<Position> == has_members<Position>;

// Axes with one position, with four, and with as many as a launch says; every layout of three.
template <class D, int Kind>
inline constexpr axis<D> nth_axis = Kind == 0   ? axis<D>(1)
                                    : Kind == 1 ? axis<D>(4)
                                                : axis<D>(spio::dynamic);
template <int N>
using nth_tensor =
    spio::tensor<float, nth_axis<I, N % 3>, nth_axis<J, N / 3 % 3>, nth_axis<K, N / 9>>;

// The place with a subscript in each dimension of a set, whose bits stand for I, J and K.
template <int Set, class Place> constexpr auto subscript(Place p) {
    if constexpr ((Set & 1) != 0) {
        return subscript < Set & ~1 > (p[I(0)]);
    } else if constexpr ((Set & 2) != 0) {
        return subscript < Set & ~2 > (p[J(0)]);
    } else if constexpr ((Set & 4) != 0) {
        return subscript < Set & ~4 > (p[K(0)]);
    } else {
        return p;
    }
}
// Whether tensor N, subscripted by the dimensions of the set, is an element exactly if none is
// missing.
template <int N, int Set> constexpr bool is_right() {
    using position = decltype(subscript<Set>(nth_tensor<N>().origin()));
    using committed = decltype(subscript<Set>(nth_tensor<N>().origin()).rebase());
    constexpr bool is_i = (Set & 1) != 0 || N % 3 == 0;
    constexpr bool is_j = (Set & 2) != 0 || N / 3 % 3 == 0;
    constexpr bool is_k = (Set & 4) != 0 || N / 9 == 0;
    constexpr bool expected = is_i && is_j && is_k;
    return is_element<position> == expected && agrees<position> &&
           is_element<committed> == expected && agrees<committed>;
}
template <int N, int... Set> constexpr bool is_right_for_all_sets() {
    if constexpr (sizeof...(Set) < 8) {
        return is_right_for_all_sets<N, Set..., sizeof...(Set)>();
    } else {
        return (is_right<N, Set>() && ...) && is_element<nth_tensor<N>> == (N == 0);
    }
}
template <int N> constexpr bool are_right_below() {
    if constexpr (N == 0) {
        return true;
    } else {
        return is_right_for_all_sets<N - 1>() && are_right_below<N - 1>();
    }
}
static_assert(are_right_below<27>());

// A subscript counts whole steps of the finest axis: nothing is rounded off unseen.
constexpr auto i = axis<I>(16);
constexpr auto k = axis<K>(32);
using Blocks = spio::tensor<float, i, k / 8>;
using Folded = spio::tensor<float, k / 8, i, k % 8>;
template <class Tensor, int Size>
inline constexpr bool takes_fold = is_element<decltype(Tensor()[I(1)][fold<K, Size>(1)])>;
static_assert(!takes_fold<Blocks, 1> && !takes_fold<Blocks, 4> && takes_fold<Blocks, 8>);
static_assert(!takes_fold<Blocks, 12> && takes_fold<Blocks, 16> && takes_fold<Blocks, 24>);
static_assert(takes_fold<Folded, 1> && takes_fold<Folded, 3> && takes_fold<Folded, 8>);
static_assert(!is_element<decltype(Blocks()[I(1)][K8(1)][K(8)])>);
static_assert(!is_element<decltype(Blocks()[I(1) + K(8)].rebase())>);

// A committed position gets the subscripts that it lacks.
using Committed = decltype(Folded()[K(7)].rebase());
static_assert(!is_element<Committed> && is_element<decltype(Committed(nullptr, {})[I(1)])>);
static_assert(!is_element<decltype(Committed(nullptr, {})[K8(1)])>);

// first() is 0 where there is no subscript, and keeps steps.
constexpr bool is_first() {
    float memory[16 * 32] = {};
    Folded const t(memory);
    if (t.first().get() != memory || t[I(3)].first().get() != t[I(3)][K(0)].get()) return false;
    for (int n = 0; n < 32; ++n) {
        auto stepped = t[I(2)];
        stepped.step(K(n));
        if (stepped.first().get() != t[I(2)][K(n)].get()) return false;
        if (&*t[K(n)].first() != t[K(n)][I(0)].get()) return false;
        if (&*t[K(n)][I(1)].first() != &*t[K(n)][I(1)]) return false;
    }
    return true;
}
static_assert(is_first());
static_assert(is_element<decltype(Blocks().first())> && is_element<decltype(Folded().first())>);
