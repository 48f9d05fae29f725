// Views of other axes, against the elements of their tensors at the positions that the laws name.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. What is late is known
// only at run time.
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
struct N : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::dynamic;
using spio::fold;
using spio::pitch;
using spio::range;
using spio::tensor;

// What tensors point to; only addresses in it matter.
inline constexpr char memory[1 << 10] = {};
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using of_char = tensor<char const, Axes...>;
constexpr auto i = axis<I>(6);
constexpr auto k = axis<K>(8);
// An axis whose size is known only at run time.
constexpr auto late = axis<I>(dynamic);

// Whether `expected` is the cursor in the tensor of every position near the view, and the view has
// the bounds: a view that adds no bounds of its own agrees with its tensor about them.
template <class A, class B, class View, class Expected>
constexpr bool agrees(View const& v, A extent_a, B extent_b, Expected expected) {
    if (v.template extent<A>() != extent_a || v.template extent<B>() != extent_b) return false;
    for (A a(-1); a <= extent_a; ++a) {
        for (B b(-1); b <= extent_b; ++b) {
            bool const is_inside = A(0) <= a && a < extent_a && B(0) <= b && b < extent_b;
            if (v[a][b].inbounds() != is_inside) return false;
            if (is_inside && v[b][a].get() != expected(a, b).get()) return false;
        }
    }
    return true;
}

// Another name, on folded, swizzled and late axes.
template <class T> constexpr bool is_renamed(T const& t) {
    return agrees(spio::rename<I, J>(t), J(t.template extent<I>().get()), K(8),
                  [&](J j, K k) { return t[I(j.get())][k]; });
}
static_assert(is_renamed(of_char<k / 4, i, k % 4>(memory)) &&
              is_renamed(of_char<late, k>(memory, I(5))) &&
              is_renamed(of_char<k / 4, spio::swizzle(axis<I>(4), k % 4)>(memory)));
static_assert(is_renamed(of_char<late.pitch(dynamic), k>(memory, I(5), pitch<I>(13))));

// The last position first.
template <class T> constexpr bool is_reversed(T const& t) {
    return agrees(spio::reverse<K>(t), t.template extent<I>(), K(8),
                  [&](I i, K k) { return t[i][K(7 - k.get())]; });
}
static_assert(is_reversed(of_char<i, k>(memory)) && is_reversed(of_char<k / 4, i, k % 4>(memory)) &&
              is_reversed(of_char<k.pitch(11), late>(memory, I(3))));
constexpr auto turned = spio::reverse<K>(spio::reverse<I>(of_char<i, k>(memory)));
static_assert(agrees(turned, I(6), K(8), [](I i, K k) {
    return of_char<::i, ::k>(memory)[I(5 - i.get())][K(7 - k.get())];
}));

// Every second and every fifth position.
template <int Step, class T> constexpr bool is_thinned(T const& t) {
    int const extent = (t.template extent<K>().get() + Step - 1) / Step;
    return agrees(spio::every<Step, K>(t), t.template extent<I>(), K(extent),
                  [&](I i, K k) { return t[i][K(Step * k.get())]; });
}
static_assert(is_thinned<1>(of_char<i, k>(memory)) && is_thinned<5>(of_char<i, k>(memory)) &&
              is_thinned<2>(of_char<k / 4, i, k % 4>(memory)) &&
              is_thinned<4>(of_char<k / 4, i, k % 4>(memory)));
static_assert(is_thinned<3>(of_char<axis<K>(dynamic), i>(memory, K(7))) &&
              is_thinned<2>(of_char<late, k>(memory, I(3))));

// Parts of what a function lays out, where the function does not map zero to zero: rows of a tensor
// that is reversed along the columns.
template <class T> constexpr bool has_reversed_rows(T const& t) {
    auto const v = spio::reverse<K>(t);
    auto const part = [&](I start) {
        return [&v, start](I row, K column) { return v[start + row][column]; };
    };
    return agrees(slice<2>(v, I(3)), I(2), K(8), part(I(3))) &&
           agrees(tile<4>(v, fold<I, 4>(1)), I(2), K(8), part(I(4))) &&
           agrees(shift(v, I(1)), I(5), K(8), part(I(1)));
}
static_assert(has_reversed_rows(of_char<i, k>(memory)) &&
              has_reversed_rows(of_char<k, i>(memory)) &&
              has_reversed_rows(of_char<k, late>(memory, I(6))));

// Blocks of four: whole axes, and axes that are cut.
template <class T> constexpr bool is_split(T const& t) {
    auto const v = spio::split<K, N, J, 4>(t);
    for (auto const p : range(v)) {
        auto const n = p.template total<N>();
        K const in_block(spio::unfold(p.template total<J>()).get());
        I const row = p.template total<I>();
        if (v[p].get() != t[row][K(4 * n.get()) + in_block].get()) return false;
    }
    return v.template extent<N>() == N(2) && v.template extent<J>() == J(4) &&
           v.size() == t.size() && !v[N(0)][J(4)][I(0)].inbounds() &&
           v[N(1)][J(3)][I(0)].inbounds() && !v[N(2)][J(0)][I(0)].inbounds();
}
static_assert(is_split(of_char<i, k>(memory)) && is_split(of_char<k / 4, i, k % 4>(memory)) &&
              is_split(of_char<k / 2, i, k % 2>(memory)) &&
              is_split(of_char<i, k.pitch(3)>(memory)) && is_split(of_char<late, k>(memory, I(2))));

// Two dimensions as one, and the reverse of that.
template <class T> constexpr bool is_joined(T const& t) {
    int const extent = 8 * t.template extent<I>().get();
    auto const v = spio::join<I, K, J>(t);
    for (J j(0); j < J(extent); ++j) {
        if (v[j].get() != t[I(j.get() / 8)][K(j.get() % 8)].get()) return false;
    }
    return v.template extent<J>() == J(extent) && v.size() == t.size() &&
           !v[J(extent)].inbounds() && !v[J(-1)].inbounds();
}
static_assert(is_joined(of_char<i, k>(memory)) && is_joined(of_char<k / 4, i, k % 4>(memory)) &&
              is_joined(of_char<k, i>(memory)) &&
              is_joined(of_char<axis<I>(dynamic.up_to(9)), k>(memory, I(5))) &&
              is_joined(of_char<late, k>(memory, I(5))));

// One more dimension, in which all elements are the same.
constexpr auto wide = spio::broadcast<axis<J>(4)>(of_char<late>(memory, I(5)));
static_assert(agrees(wide, I(5), J(4), [](I i, J) { return of_char<late>(memory, I(5))[i]; }));

// What is left from a position on.
template <int First, class T> constexpr bool is_shifted(T const& t) {
    return agrees(shift(t, I(First)), t.template extent<I>() - I(First), K(8),
                  [&](I i, K k) { return t[I(First)][i][k]; });
}
static_assert(is_shifted<0>(of_char<i, k>(memory)) && is_shifted<4>(of_char<i, k>(memory)) &&
              is_shifted<6>(of_char<k / 4, i, k % 4>(memory)) &&
              is_shifted<2>(of_char<late, k>(memory, I(5))));
static_assert(shift(of_char<k / 4, i, k % 4>(memory), fold<K, 4>(1)).extent<K>() == K(4));

// A slice of a dimension that only the run knows.
constexpr auto part = spio::slice<2>(of_char<late, k>(memory, I(5)), I(3));
static_assert(agrees(part, I(2), K(8),
                     [](I i, K k) { return of_char<late, ::k>(memory, I(5))[I(3)][i][k]; }));
constexpr auto columns = spio::slice<4>(of_char<k, late>(memory, I(5)), K(3));
static_assert(agrees(columns, I(5), K(4),
                     [](I i, K k) { return of_char<::k, late>(memory, I(5))[K(3)][i][k]; }));

// What the laws leave open is refused.
template <class T, class From, class To>
concept renames = requires(T t) { spio::rename<From, To>(t); };
template <class T, class D>
concept reverses = requires(T t) { spio::reverse<D>(t); };
template <class T, int Step, class D>
concept thins = requires(T t) { spio::every<Step, D>(t); };
template <class T, class Outer, class Inner, int Size>
concept splits = requires(T t) { spio::split<K, Outer, Inner, Size>(t); };
template <class T, class Outer, class Inner, class To>
concept joins = requires(T t) { spio::join<Outer, Inner, To>(t); };
template <class T, auto Axis>
concept broadcasts = requires(T t) { spio::broadcast<Axis>(t); };
template <class T, class Start>
concept shifts = requires(T t, Start start) { shift(t, start); };
using Rows = of_char<i, k>;
using Blocks = of_char<k / 4, i, k % 4>;
using Late = of_char<late, k>;
using Swizzled = of_char<i, spio::swizzle(axis<K>(8), axis<I>(6) / 3)>;
static_assert(renames<Rows, I, J> && !renames<Rows, I, K> && !renames<Rows, J, I> &&
              !renames<Rows, I, fold<J, 2>> && !renames<Rows, I, int>);
static_assert(!reverses<Late, I> && reverses<Late, K> && !reverses<Rows, J> &&
              !reverses<Swizzled, K>);
static_assert(thins<of_char<k.pitch(1LL << 61)>, 2, K> &&
              !thins<of_char<k.pitch(1LL << 61)>, 8, K>);
static_assert(thins<Rows, 5, K> && !thins<Rows, 0, K> && !thins<Rows, -1, K> &&
              !thins<Blocks, 3, K> && !thins<Rows, 2, J> && !thins<of_char<k, late>, 2, K>);
static_assert(splits<Rows, K, J, 4> && splits<Rows, J, K, 4> && !splits<Rows, J, J, 4> &&
              !splits<Rows, I, J, 4> && !splits<Rows, J, N, 5> && !splits<Blocks, J, N, 3> &&
              splits<of_char<axis<K>(dynamic)>, J, N, 4> &&
              !splits<of_char<axis<I>(2), axis<K>(dynamic)>, J, N, 4>);
// Both dimensions are there where one of them has a single position.
template <class V> constexpr bool has_extents(V const& v, N outer, J inner) {
    return v.template extent<N>() == outer && v.template extent<J>() == inner &&
           v[outer - N(1)][inner - J(1)][I(0)].inbounds() && !v[outer][J(0)][I(0)].inbounds() &&
           !v[N(0)][inner][I(0)].inbounds();
}
// Whether all 8 positions, or one, can be the inner part.
template <class T> constexpr bool is_split_at_its_ends(T const& t) {
    return has_extents(spio::split<K, N, J, 8>(t), N(1), J(8)) &&
           has_extents(spio::split<K, N, J, 1>(t), N(8), J(1));
}
static_assert(is_split_at_its_ends(of_char<i, k>(memory)) &&
              is_split_at_its_ends(of_char<k / 4, i, k % 4>(memory)) &&
              is_split_at_its_ends(of_char<i, k.pitch(3)>(memory)));
static_assert(is_split_at_its_ends(of_char<k.pitch(dynamic), i>(memory, pitch<K>(40))));
static_assert(has_extents(spio::split<K, N, J, 4>(of_char<k / 4, i>(memory)), N(2), J(4)) &&
              !splits<of_char<k / 4, i>, N, J, 2>);
// Late extents: the whole blocks are split, whatever the folds.
constexpr auto late_k = axis<K>(dynamic);
static_assert(is_split(of_char<late_k, i>(memory, K(8))) &&
              is_split(of_char<late_k / 2, i, late_k % 2>(memory, K(8))) &&
              is_split(of_char<late_k / 8, i, late_k % 8>(memory, K(8))) &&
              is_split(of_char<i.pitch(40), late_k.pitch(3)>(memory, K(8))));
static_assert(joins<Rows, I, K, J> && joins<Rows, I, K, K> && !joins<Rows, I, I, J> &&
              !joins<Late, K, I, J> && !joins<Rows, I, J, J> && !joins<Swizzled, I, K, J>);
static_assert(broadcasts<Rows, axis<J>(4)> && !broadcasts<Rows, axis<I>(4)> &&
              !broadcasts<Rows, axis<J>(dynamic)> && !broadcasts<Rows, 4>);
static_assert(shifts<Rows, I> && !shifts<Rows, J> && !shifts<Rows, int> && !shifts<Blocks, K> &&
              !shifts<Swizzled, I>);

// A cursor of mutable elements is one of constant elements too.
static_assert([] {
    char mutable_memory[72] = {};
    auto const cursor = tensor<char, i, k>(mutable_memory)[I(2)][K(3)];
    decltype(Rows()[I()][K()]) const read_only = cursor;
    return read_only.get() == cursor.get();
}());
// Whether a value becomes one of another type implicitly.
template <class From, class To>
concept becomes = requires(From x, void (*take)(To)) { take(x); };
static_assert(!becomes<decltype(Rows()[I()]), decltype(tensor<char, i, k>()[I()])>);
