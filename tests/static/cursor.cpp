// Cursors: subscripts in any order, steps, and the test for bounds.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. Laws are those of docs/algebra.md.
// rebase() makes a cursor that holds its address, computed once. origin() is a tensor's cursor at
// position zero.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
import spio.dims;

struct H : spio::dim {
    using dim::dim;
};
struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct M : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::coords;
using spio::fold;
using spio::make_coordinates;
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}
// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};
constexpr char const* middle = memory + 2048;
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char const, Axes...>;
// How far the element lies from the middle of the memory, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - middle; }

constexpr auto k = axis<K>(64);
constexpr chars<k / 8, axis<M>(16), k % 8> t(middle);
constexpr chars<axis<H>(16), axis<W>(32)> hw(middle);

// A cursor has a term for each type that it was subscripted by, and adds up those of one type.
using Shape = decltype(hw)::layout_type;
static_assert(same<decltype(hw.origin()), spio::cursor<char const, Shape>>);
static_assert(same<decltype(hw[H(1)][W(2)][H(3)]), spio::cursor<char const, Shape, H, W>>);

// A cursor has the sizes of its tensor. (Cursor.cursor_size_simple)
static_assert(equals<H>(hw[H(1)].size<H>(), 16) && equals<W>(hw[W(1)].size<W>(), 32));

// Each fold of a dimension has its own size. (Cursor.cursor_size_folded)
static_assert(equals<K8>(t[K(3)].size<K8>(), 8) && equals<K>(t[K(3)].size<K>(), 8));

// A cursor has the extents of its tensor, in ones or in blocks.
// (Cursor.cursor_extent_matches_tensor, CursorInbounds.extents)
static_assert(equals<K>(t[K(3)].extent<K>(), 64) && equals<K8>(t[M(3)].extent<K8>(), 8));
static_assert(equals<M>(t[K(3)].extent<M>(), 16));
static_assert(same<decltype(t[K(3)].extents()), coords<K8, M>> && t[K(3)].extents() == t.extents());

// An extent can be asked for in any fold, and is rounded down.
// (Cursor.cursor_extent_different_fold_levels)
static_assert(equals<fold<K, 16>>(t[K(3)].extent<fold<K, 16>>(), 4));
static_assert(equals<fold<K, 128>>(t.origin().extent<fold<K, 128>>(), 0));

// An extent is known to the type. (Cursor.cursor_type_alias_extent,
// CursorInbounds.extent_single_dim)
static_assert(equals<K>(decltype(t)::extent<K>(), 64));

// A cursor is inside if 0 <= position < extent in every base; comparing with extents() does not see
// what is below 0. (CursorInbounds.basic, law 10 of docs/algebra.md, 0 <= position < extent in
// every base)
constexpr bool is_in_where_both_are() {
    for (int h = -2; h < 20; h += 3) {
        for (int w = -5; w < 40; ++w) {
            bool const expected = 0 <= h && h < 16 && 0 <= w && w < 32;
            if (hw[H(h)][W(w)].inbounds() != expected) return false;
            if (hw[make_coordinates(H(h), W(w))].inbounds() != expected) return false;
            if ((make_coordinates(H(h), W(w)) < hw.extents()) != (h < 16 && w < 32)) return false;
        }
    }
    return true;
}
static_assert(is_in_where_both_are());

// The first, the last and a middle position are inside. (Cursor.in_range_within_bounds,
// in_range_at_origin, in_range_at_max_minus_one)
static_assert(hw[H(5)][W(10)].inbounds() && hw.origin().inbounds() && hw[H(15)][W(31)].inbounds());

// Negative positions are outside. (Cursor.in_range_negative_first_dim,
// in_range_negative_second_dim, in_range_negative_both_dims, in_range_vs_inbounds_negative)
static_assert(!hw[H(-1)].inbounds() && !hw[W(-1)].inbounds() && !hw[H(-1)][W(-1)].inbounds());

// Positions at the extent are outside. (Cursor.in_range_exceeds_upper_bound_first_dim,
// in_range_exceeds_upper_bound_second_dim)
static_assert(!hw[H(16)].inbounds() && !hw[W(32)].inbounds());

// What is not subscripted counts as 0. (CursorInbounds.partial_subscript)
constexpr chars<axis<I>(8), axis<J>(16)> ij(middle);
static_assert(ij[I(5)].inbounds() && !ij[I(10)].inbounds());
static_assert(ij[I(7)][J(15)].inbounds() && !ij[I(8)][J(16)].inbounds());

// The entries of a folded dimension are added up before they are compared, however they were added.
// (Cursor.in_range_with_single_fold)
constexpr bool is_in_the_folds() {
    for (int n = -20; n < 80; ++n) {
        bool const expected = 0 <= n && n < 64;
        if (t[K(n)].inbounds() != expected || t[M(3)][K8(-1)][K(n + 8)].inbounds() != expected)
            return false;
        auto stepped = t[M(1)];
        stepped.step(K(n));
        if (stepped.inbounds() != expected) return false;
    }
    return !t[K(3)][M(16)].inbounds() && !t[K(3)][M(-1)].inbounds();
}
static_assert(is_in_the_folds());

// A cursor of three dimensions is inside if it is in each of them. (Cursor.in_range_3d_tensor)
constexpr chars<axis<I>(4), axis<J>(4), axis<K>(4)> cube(middle);
static_assert(cube[I(3)][J(3)][K(3)].inbounds() && !cube[I(3)][J(-1)][K(3)].inbounds());
static_assert(!cube[I(3)][J(3)][K(4)].inbounds());

// inbounds(bool&) stores whether the cursor is inside its tensor, and returns the cursor itself.
// (Cursor.in_range_overload_stores_result_and_returns_this)
constexpr bool stores_and_returns_itself() {
    bool is_inbounds = false;
    auto const c = hw[H(5)][W(10)];
    if (&c.inbounds(is_inbounds) != &c || !is_inbounds) return false;
    auto const outside = hw[H(-5)];
    return &outside.inbounds(is_inbounds) == &outside && !is_inbounds;
}
static_assert(stores_and_returns_itself());

// rebase() may follow inbounds(bool&). (Cursor.in_range_overload_enables_method_chaining)
constexpr bool chains() {
    bool is_inbounds = false;
    return hw[H(5)][W(10)].inbounds(is_inbounds).rebase().get() == middle + 5 * 32 + 10 &&
           is_inbounds;
}
static_assert(chains());

// Steps of a cursor add up like subscripts, also where a step carries into the next block.
// (Tensor.deferred_folding_with_step)
constexpr bool stepping_is_subscripting() {
    auto by_four = t[M(2)];
    auto by_one = t[M(2)];
    auto by_fold = t[M(2)];
    auto alternately = t[M(2)];
    int moved = 0;
    for (int n = 0; n < 8; ++n) {
        if (offset_of(by_four) != offset_of(t[M(2)][K(4 * n)]) ||
            offset_of(by_one) != offset_of(t[K(n)][M(2)]))
            return false;
        if (offset_of(by_fold) != offset_of(t[K(8 * n)][M(2)]) ||
            offset_of(alternately) != offset_of(t[M(2)][K(moved)]))
            return false;
        by_four.step(K(4));
        by_one.step(K(1));
        if (n % 2 == 0) {
            by_fold.step(K(8));
        } else {
            by_fold.step(K8(1));
        }
        int const next = n % 2 == 0 ? 3 : 5;
        alternately.step(K(next));
        moved += next;
    }
    return true;
}
static_assert(stepping_is_subscripting());

// A cursor moves from where it is, once and in a loop. (Lesson2.RelativeMovement,
// Lesson2.AccumulationLoop)
constexpr chars<axis<I>(10), axis<J>(10)> ten(middle);
constexpr bool moves_relatively() {
    auto b = ten[I(2)][J(2)];
    b.step(I(1));
    b.step(J(1));
    if (offset_of(b) != 33) return false;
    auto c = ten[I(2)][J(4)];
    for (int n = 0; n < 5; ++n) {
        if (offset_of(c) != (2 + n) * 10 + 4) return false;
        c.step(I(1));
    }
    return offset_of(c) == 74;
}
static_assert(moves_relatively());

// Negative positions have the offsets that the layout would have if it went on before its
// start.
static_assert(offset_of(t[K(-1)]) == -128 + 7 && offset_of(t[K8(1)][K(-1)]) == 7 &&
              offset_of(t[K(-9)]) == -2 * 128 + 7);

// A position beyond the end is not wrapped. Only the finer digits of a dimension are
// reduced, and the coarsest one takes the rest.
static_assert(offset_of(ten[I(10)]) == 100 && offset_of(ten[I(-1)]) == -10 &&
              offset_of(ten[J(15)]) == 15);
static_assert(offset_of(t[K(64)]) == 8 * 128 && offset_of(t[K8(3)][K(9)]) == 4 * 128 + 1);
