// Mistakes that once compiled, or failed inside the library: each is refused at the call, or right.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A compound index is one
// number for several indices, the last of which varies fastest. is_injective says whether different
// positions have different offsets.
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
using spio::bounded;
using spio::coords;
using spio::fold;
using spio::tensor;
using K8 = fold<K, 8>;
using K16 = fold<K, 16>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

constexpr auto i = axis<I>(16);
constexpr auto k = axis<K>(32);
constexpr auto n = axis<N>(spio::dynamic);
using Plain = tensor<float, i, k>;
using Folded = tensor<float, k / 8, i, k % 8>;
using Dynamic = tensor<float, n, i>;

// Sizes and extents do not take over the bound of the type that asks for them.
template <class T, class D, class Bounded, class Expected> constexpr bool ignores_bounds() {
    auto const t = T();
    static_assert(same<decltype(t.template extent<Bounded>()), D>);
    return t.template extent<Bounded>() == Expected() + t.template extent<D>() &&
           t.origin().template extent<Bounded>() == t.template extent<D>() &&
           t.shape().template size<Bounded>() == t.template size<D>() &&
           t.template size<Bounded>() == t.template size<D>() &&
           t.origin().template size<Bounded>() == t.template size<D>();
}
static_assert(ignores_bounds<Plain, K, bounded<K, 8>, K>() &&
              ignores_bounds<Plain, I, bounded<I, 16>, I>());
static_assert(ignores_bounds<Folded, K8, bounded<K8, 2>, K>() &&
              ignores_bounds<Folded, K, bounded<K, 1>, K>());
static_assert(Plain::size<bounded<K, 8>>() == K(32) && Plain::extent<bounded<K, 4>>() == K(32));
static_assert(Dynamic(nullptr, N(9)).size<bounded<N, 2>>() == N(9) &&
              Dynamic(nullptr, N(9)).extent<bounded<N, 2>>() == N(9));

// A cast goes from a base to a base, of coordinates and of an index alike.
template <class C, class From, class To>
concept casts = requires(C c) { c.template cast<From, To>(); };
template <class From, class To>
constexpr bool is_cast =
    casts<coords<K, I>, From, To> && casts<spio::compound_index<k / 8, i, k % 8>, From, To> &&
    casts<coords<bounded<K8, 4>>, From, To>;
template <class From, class To>
constexpr bool is_no_cast =
    !casts<coords<K, I>, From, To> && !casts<spio::compound_index<k / 8, i, k % 8>, From, To> &&
    !casts<coords<bounded<K8, 4>>, From, To>;
static_assert(is_cast<K, J> && is_cast<K, K> && is_cast<N, J>);
static_assert(is_no_cast<K, fold<J, 8>> && is_no_cast<K8, J> && is_no_cast<K8, fold<J, 8>> &&
              is_no_cast<bounded<K, 4>, J> && is_no_cast<K, bounded<J, 4>> && is_no_cast<int, J> &&
              is_no_cast<K, int> && is_no_cast<K, spio::dim>);

// Folds that do not divide, and swizzles that read more than they place.
template <auto... Axes>
concept lays_out = requires { typename tensor<float, Axes...>; };
template <auto Axis, int By>
concept is_folded = requires { typename tensor<float, Axis / By, Axis % By>; };
template <auto Axis, int By>
concept is_index_digit = requires { typename spio::compound_index<Axis / By, Axis % By>; };
template <auto Column, auto Row>
concept is_swizzled = requires { typename tensor<float, spio::swizzle(Column, Row), Row>; };
static_assert(is_folded<k, 1> && is_folded<k, 2> && is_folded<k, 8> && is_folded<k, 32>);
static_assert(!is_folded<k, 0> && !is_folded<k, 3> && !is_folded<k, 5> && !is_folded<k, 64> &&
              !is_folded<k, -8>);
static_assert(is_index_digit<k, 8> && is_index_digit<k, 1> && is_index_digit<k, 32> &&
              !is_index_digit<k, 5> && !is_index_digit<k, 0>);
static_assert(is_swizzled<axis<K>(8), axis<I>(8)> && is_swizzled<axis<K>(8), axis<I>(4)> &&
              !is_swizzled<axis<K>(4), axis<I>(8)> && !is_swizzled<axis<K>(6), axis<I>(2)>);

// Functions of more than 4096 cells are looked at in parts, here in two; large.cpp has the largest.
constexpr auto many = axis<J>(256);
constexpr auto rows = axis<I>(17);
static_assert(spio::is_injective<tensor<char, axis<I>(256), spio::swizzle(many, axis<I>(256))>>);
constexpr auto turned = [](J column, I row) { return (column.get() + row.get()) % 256; };
constexpr auto halved = [](J column, I row) { return column.get() / (row.get() / 16 + 1); };
static_assert(spio::is_injective<tensor<char, rows, derived(turned, many).reading(rows)>>);
static_assert(!spio::is_injective<tensor<char, rows, derived(halved, many).reading(rows)>>);

// A function that leaves its axis is no layout, wherever it does.
constexpr auto increased = [](J x) { return x.get() + 1; };
constexpr auto decreased = [](J x) { return x.get() - 1; };
constexpr auto at_last = [](J x, I row) { return x.get() + row.get() / 16 * 256; };
constexpr auto on_axis = [](J x) { return 255 - x.get(); };
static_assert(!lays_out<derived(increased, many)> && !lays_out<derived(decreased, many)> &&
              lays_out<derived(on_axis, many)>);
static_assert(!lays_out<rows, derived(at_last, many).reading(rows)> &&
              lays_out<axis<I>(16), derived(at_last, many).reading(axis<I>(16))>);

// The entries of variables can be assigned; those of values and constants cannot.
template <class C, class D>
concept assigns = requires(C c) { static_cast<C>(c).template get<D>() = D(9); };
static_assert(assigns<coords<I, J>&, I> && assigns<coords<I, K8>&, K8> &&
              !assigns<coords<I, J> const&, I> && !assigns<coords<I, J>, I> &&
              !assigns<coords<I, J>&&, I> && !assigns<coords<I, J>&, K>);
static_assert(!assigns<spio::compound_index<i, k>&, I>);
static_assert([] {
    auto c = I(1) + J(2);
    c.get<I>() = I(9);
    c.get<J>() += J(1);
    return c == I(9) + J(3) && c.get<I>() == I(9);
}());

// The rest of a dimension is not taken for the dimension.
template <class C, class D>
concept gets = requires(C c) { c.template get<D>(); };
using Position = decltype(*range(Folded()).begin());
static_assert(!gets<Position, K> && gets<Position, K8> && gets<Position, I>);
static_assert(!gets<coords<K, K8>, K> && !gets<coords<K16, K8, K>, K8> &&
              gets<coords<K16, K8, K>, K16> && gets<coords<K>, K>);
using Small = tensor<float, axis<K>(24) / 8, axis<I>(3), axis<K>(24) % 8>;
static_assert([] {
    int count = 0;
    for (auto const p : range(Small())) {
        if (p.total<K>().get() != 8 * p.get<K8>().get() + p.digit<K>().get()) return false;
        if (Small()[p].offset() != Small()[p.get<I>() + p.total<K>()].offset()) return false;
        ++count;
    }
    return count == 72;
}());

// A slice lies in its tensor.
template <long long> struct constant;
inline constexpr char letters[512] = {};
using Letters = tensor<char const, i, k>;
template <int Start>
concept is_slice =
    requires { typename constant<spio::slice<4>(Letters(letters), I(Start))[I(1)].offset()>; };
static_assert(is_slice<0> && is_slice<7> && is_slice<12> && !is_slice<13> && !is_slice<14> &&
              !is_slice<-1> && !is_slice<1000>);

// Layouts that are generic in the size of a vector hold for one element too.
constexpr auto few = axis<I>(3);
constexpr auto k16 = axis<K>(16);
template <int V> constexpr bool holds_for_vectors() {
    using T = tensor<float, k16 / V, few, k16 % V>;
    using Index = spio::compound_index<k16 / V, few, k16 % V>;
    using Inverse = spio::compound_index<k16 % V, few, k16 / V>;
    int visited = 0;
    for (auto const p : range(T())) {
        auto const column = p.template total<K>();
        auto const row = p.template get<I>();
        int const expected = (column.get() / V * 3 + row.get()) * V + column.get() % V;
        if (T()[p].offset() != expected || T()[row][column].offset() != expected) return false;
        if (T()[Index(visited)].offset() != visited || expected != visited) return false;
        auto cursor = T()[row];
        cursor.step(column);
        if (cursor.offset() != expected || !cursor.inbounds()) return false;
        ++visited;
    }
    return visited == 48 && Index::size() == 48 && Inverse::size() == 48 &&
           T::template size<fold<K, V>>() == fold<K, V>(16 / V) &&
           T::template extent<K>() == K(16) && spio::is_injective<T> &&
           spio::vector_width(T()) == V;
}
static_assert(holds_for_vectors<1>() && holds_for_vectors<8>() && holds_for_vectors<16>());
using Late = tensor<float, n / 1, i, n % 1>;
static_assert(Late(nullptr, N(5))[N(3)][I(2)].offset() == 3 * 16 + 2 &&
              Late(nullptr, N(5)).size<N>() == N(5));

// A tensor without axes has one element.
static_assert([] {
    float x = 0;
    auto const scalar = tensor<float>(&x);
    scalar.fill(3);
    int visited = 0;
    for (auto const p : range(scalar)) {
        *scalar[p] += 1;
        visited += scalar[p].inbounds();
    }
    return visited == 1 && x == 4 && scalar.size() == 1 && scalar.storage_size() == 1;
}());
