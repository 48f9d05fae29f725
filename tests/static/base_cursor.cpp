// Base cursors: pointers that move only where a move adds a constant, and refuse all other moves.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. rebase() makes a cursor
// that holds its address, computed once; it is called committed. A ring is an axis around which
// positions wrap. origin() is a tensor's cursor at position zero.
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

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};
constexpr char const* middle = memory + 2048;
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char const, Axes...>;
// How far the element lies from the middle of the memory, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - middle; }
// Whether a cursor can be stepped in place by such a value.
template <class C, class D>
concept steps = requires(C c, D d) { c.step(d); };
// Whether a cursor can be subscripted by such a value.
template <class C, class D>
concept moves = requires(C c, D d) { c[d]; };
template <class T> using committed = decltype(T().origin().rebase());

constexpr auto k = axis<K>(32);
constexpr auto i = axis<I>(16);
using T = chars<k / 8, i, k % 8>;
constexpr T t(middle);

// A cursor can be rebased to a pointer, and then subscripted by whole blocks.
// (Tensor.tensor_2d_small)
static_assert(offset_of(t[K(7)].rebase()) == 7 && offset_of(t[K(7)].rebase()[K8(1)]) == 128 + 7);
static_assert(offset_of(t[K(7)].rebase()[K8(1)]) == offset_of(t[K(7)][K8(1)]));
static_assert(offset_of(t[K(7)].rebase()[I(3)]) == offset_of(t[K(7)][I(3)]));

static_assert(same<decltype(t[K(7)].rebase()), spio::base_cursor<char const, T::layout_type, K>>);
static_assert(same<decltype(t[K(7)].rebase()[K8(1)]), decltype(t[K(7)].rebase())>);

// After a move it agrees with the cursor that it was made from, at every position.
constexpr bool agrees_with_the_cursor() {
    for (int n = -8; n < 40; ++n) {
        for (int blocks = -2; blocks < 3; ++blocks) {
            auto c = t[K(n)][I(3)];
            auto b = c.rebase();
            if (b.step(K8(blocks)).get() != c.step(K8(blocks)).get()) return false;
            if (b.step(I(blocks)).get() != c.step(I(blocks)).get()) return false;
            if (b.step(fold<K, 16>(1)).get() != c.step(fold<K, 16>(1)).get()) return false;
        }
    }
    return true;
}
static_assert(agrees_with_the_cursor());

// A move that might carry does not compile: on t[K(7)], K(1) is a new block, not the next element.
using Committed = committed<T>;
static_assert(steps<Committed, K8> && steps<Committed, fold<K, 16>> && steps<Committed, I>);
static_assert(!steps<Committed, K> && !steps<Committed, fold<K, 4>> &&
              !steps<Committed, fold<K, 12>>);
static_assert(!steps<Committed, J> && !steps<Committed, int>);
static_assert(moves<Committed, K8> && !moves<Committed, K> && !moves<Committed, J> &&
              !moves<Committed, int>);
static_assert(Committed::moves_freely<K8> && !Committed::moves_freely<K> &&
              !Committed::moves_freely<J>);

// A base cursor cannot move along a ring, which wraps, nor by a step that changes what the function
// of a derived axis takes or reads, because its distance is not constant. All other steps compile.
using Ring = committed<chars<axis<K>(4).ring(), i>>;
static_assert(!steps<Ring, K> && steps<Ring, I>);
using Swizzled = committed<chars<k / 16, i / 8, spio::checkerboard(i % 8, k / 8 % 2), k % 8>>;
static_assert(steps<Swizzled, fold<K, 16>> && steps<Swizzled, fold<I, 8>>);
static_assert(!steps<Swizzled, K8> && !steps<Swizzled, K> && !steps<Swizzled, I>);
using Read = committed<chars<i, spio::swizzle(axis<J>(8), i % 8)>>;
static_assert(steps<Read, fold<I, 8>> && !steps<Read, I> && !steps<Read, J>);

// Along blocks that a function reads, a cursor moves by a common multiple of the periods of both,
// if that is below 2^31.
constexpr auto ignores = [](J x, K) { return x.get(); };
constexpr auto j = axis<J>(8);
using Block = fold<K, 1 << 16>;
template <int Repeats>
using Blocks = committed<
    chars<axis<Block>(4), axis<K>(1 << 16), spio::derived(ignores, j).reading(axis<K>(Repeats))>>;
static_assert(steps<Blocks<8>, Block> && !steps<Blocks<3>, Block>);
static_assert(steps<Blocks<3>, fold<Block, 3>> && !steps<Blocks<(1 << 16) + 1>, Block>);

// An axis with a pitch moves by its pitch.
using Padded = chars<axis<I>(16).pitch(40), axis<J>(32)>;
static_assert(offset_of(Padded(middle)[J(5)].rebase().step(I(2))) == 85);
static_assert(offset_of(Padded(middle)[J(5)].rebase().step(J(-2))) == 3);

constexpr bool reaches_its_element() {
    struct pair {
        int a, b;
    };
    pair data[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    auto c = spio::tensor<pair, axis<I>(4)>(data)[I(1)].rebase();
    if (c->a != 3 || (*c).b != 4) return false;
    c.step(I(2));
    c->b = 9;
    return data[3].b == 9 && c[I(-3)]->a == 1;
}
static_assert(reaches_its_element());
