// Dynamic axes: sizes that are passed when the tensor is made, beside sizes that its type knows.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A ring is an axis
// around which positions wrap. A compound index is one number for several indices, the last of
// which varies fastest.
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
using spio::coords;
using spio::dynamic;
using spio::fold;
using spio::make_coordinates;
using N8 = fold<N, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char const, Axes...>;
// How far the element lies from the first, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - memory; }
template <class T, class... Sizes>
concept takes = requires(char const* p, Sizes... sizes) { T(p, sizes...); };
template <class T>
concept knows_its_size = requires { T::storage_size(); };
// Whether axes form a layout; axes of different sizes for one dimension, for example, do not.
template <auto... Axes>
concept lays_out = requires { typename spio::layout<Axes...>; };

constexpr auto n = axis<N>(dynamic);
constexpr auto few = axis<N>(dynamic.up_to(40));
constexpr auto i = axis<I>(4);
constexpr auto j = axis<J>(8);

static_assert(same<decltype(dynamic), spio::dynamic_size const> && dynamic.up_to(40).maximum == 40);

// A dynamic axis that is outermost, in the middle, or innermost: the strides to its left follow
// from the size that is passed to the tensor.
using Outer = chars<n, i, j>;
using Middle = chars<i, n, j>;
using Inner = chars<i, j, n>;
constexpr bool strides_follow_the_size() {
    for (int size = 1; size < 6; ++size) {
        Outer const outer(memory, N(size));
        Middle const middle(memory, N(size));
        Inner const inner(memory, N(size));
        if (outer.size() != 32 * size || middle.size() != 32 * size || inner.size() != 32 * size)
            return false;
        if (outer.storage_size() != 32 * size || inner.num_bytes() != 32 * size) return false;
        for (int a = 0; a < size; ++a) {
            auto const place = make_coordinates(I(3), J(5), N(a));
            if (offset_of(outer[place]) != a * 32 + 3 * 8 + 5) return false;
            if (offset_of(middle[place]) != (3 * size + a) * 8 + 5) return false;
            if (offset_of(inner[place]) != (3 * 8 + 5) * size + a) return false;
        }
    }
    return true;
}
static_assert(strides_follow_the_size());

// Sizes and extents of the tensor, with the same calls as for a static one.
constexpr Middle t(memory, N(5));
static_assert(t.size<N>() == N(5) && t.extent<N>() == N(5) && t.size<I>() == I(4));
static_assert(t.extents() == make_coordinates(I(4), N(5), J(8)));
static_assert(same<decltype(t.extents()), coords<I, N, J>>);

// inbounds() compares with the size that was passed.
static_assert(t[N(4)].inbounds() && !t[N(5)].inbounds() && !t[N(-1)].inbounds());
static_assert(make_coordinates(N(4), K(99)) < t.extents() && !(N(5) < t.extents()));

// A size must be passed for each dynamic dimension, and for no other. Two sizes may have any order.
static_assert(takes<Middle, N> && takes<Middle, N8> && !takes<Middle> && !takes<Middle, int>);
static_assert(!takes<Middle, I> && !takes<Middle, N, I> && !takes<Middle, N, N>);
using Two = chars<axis<K>(dynamic), i, n>;
static_assert(takes<Two, K, N> && takes<Two, N, K> && !takes<Two, K> && !takes<Two, K, K>);
static_assert(offset_of(Two(memory, K(2), N(3))[K(1)][I(2)][N(2)]) == 12 + 6 + 2);
static_assert(offset_of(Two(memory, N(3), K(2))[K(1)][I(2)][N(2)]) == 12 + 6 + 2);
// A size in folds counts the units in them; an extent of zero has no storage, whatever the pitch.
static_assert(Middle(memory, N8(2)).extent<N>() == N(16) && Middle(memory, N8(2)).size() == 512);
static_assert(chars<n.pitch(40), i, j>(memory, N(0)).storage_size() == 0 &&
              chars<n.pitch(40), i, j>(memory, N(0)).size() == 0);
static_assert(!knows_its_size<Middle> && knows_its_size<chars<i, j>>);

// The fold need not divide a dynamic size: the last block is then partly filled.
using Folded = chars<n / 8, i, n % 8>;
constexpr bool folds_cover_the_size() {
    for (int size = 1; size < 20; ++size) {
        Folded const folded(memory, N(size));
        int const blocks = (size + 7) / 8;
        if (folded.size<N8>() != N8(blocks) || folded.size<N>() != N(8)) return false;
        if (folded.extent<N>() != N(size) || folded.extents() != make_coordinates(N(size), I(4)))
            return false;
        if (folded.size() != 4 * size || folded.storage_size() != 32 * blocks) return false;
        for (int a = -3; a < 24; ++a) {
            if (folded[N(a)].inbounds() != (0 <= a && a < size)) return false;
            if (a < 0) continue;
            if (offset_of(folded[N(a)][I(3)]) != a / 8 * 32 + 3 * 8 + a % 8) return false;
        }
    }
    return true;
}
static_assert(folds_cover_the_size());

// The maximum need not be a multiple of the fold either, and fold_up() does not round it.
constexpr auto odd = axis<N>(dynamic.up_to(41));
using Odd = chars<odd / 8, i, odd % 8>;
static_assert(Odd(memory, N(41)).size<N8>() == N8(6) && Odd(memory, N(41))[N(40)].inbounds());
static_assert(offset_of(Odd(memory, N(41))[N(40)][I(3)]) == 5 * 32 + 3 * 8);
static_assert(same<chars<spio::fold_up(odd, 8), i, odd % 8>, Odd> &&
              same<chars<spio::fold_up(n, 8), i, n % 8>, Folded>);

// range() visits each element, and no cell of the unused part of the last block.
constexpr bool range_stays_inside() {
    for (int size = 1; size < 20; size += 3) {
        Folded const folded(memory, N(size));
        bool is_visited[4 * 24] = {};
        int count = 0;
        for (auto x : range(folded)) {
            auto const offset = offset_of(folded[x]);
            if (!folded[x].inbounds() || is_visited[offset]) return false;
            is_visited[offset] = true;
            ++count;
        }
        if (count != 4 * size) return false;
    }
    return true;
}
static_assert(range_stays_inside());

// An unlimited dynamic size needs 64-bit offsets; one with a small maximum does not.
static_assert(sizeof(Outer::offset_type) == 8 && sizeof(chars<few, i, j>::offset_type) == 4);
static_assert(sizeof(chars<n>::offset_type) == 4);
static_assert(Outer(memory, N(1 << 28))[N((1 << 28) - 1)][I(3)][J(7)].offset() == (1LL << 33) - 1);

// Only the outermost fold of a base may be dynamic, and all its folds agree.
static_assert(lays_out<n / 8, i, n % 8> && lays_out<n % 8, i, n / 8> &&
              lays_out<n / 8, n / 4 % 2, n % 4>);
static_assert(!lays_out<axis<N8>(4), n> && !lays_out<n / 8, n % 4> && !lays_out<n, n>);

// A layout with a dynamic axis may also have a swizzle and a ring.
using Swizzled = chars<axis<K>(2).ring(), n, i, spio::swizzle(axis<J>(4), i)>;
constexpr Swizzled swizzled(memory, N(3));
static_assert(offset_of(swizzled[K(5)][N(2)][J(1)][I(3)]) == 48 + 32 + 12 + (1 ^ 3));
static_assert(offset_of(swizzled[I(3)][K(-1)][J(1) + N(2)]) ==
              offset_of(swizzled[K(5)][N(2)][J(1)][I(3)]));

// An index whose first digit is unbounded.
using Open = spio::compound_index<n, i>;
static_assert(Open(4 * 100 + 3) == make_coordinates(N(100), I(3)));
