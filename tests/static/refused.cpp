// What must not compile, seen by requires: a refused expression is false, never an error inside.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. rebase() makes a cursor
// that holds its address, computed once. A compound index is one number for several indices, the
// last of which varies fastest. refold<n>(x) counts x in blocks of n, rounded down.
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
using spio::bounded;
using spio::coords;
using spio::fold;
using I8 = fold<I, 8>;
using K8 = fold<K, 8>;

// Whether the sum of two such values compiles.
template <class A, class B>
concept adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept subtracts = requires(A a, B b) { a - b; };
template <class A, class B>
concept multiplies = requires(A a, B b) { a* b; };
template <class A, class B>
concept divides = requires(A a, B b) { a / b; };
template <class A, class B>
concept remains = requires(A a, B b) { a % b; };
template <class A, class B>
concept equates = requires(A a, B b) {
    a == b;
    a != b;
};
template <class A, class B>
concept orders = requires(A a, B b) {
    a < b;
    a > b;
    a <= b;
    a >= b;
};
template <class A, class B>
concept refuses_order = !requires(A a, B b) { a < b; } && !requires(A a, B b) { a > b; } &&
                        !requires(A a, B b) { a <= b; } && !requires(A a, B b) { a >= b; };
template <class A, class B>
concept refuses_equality = !requires(A a, B b) { a == b; } && !requires(A a, B b) { a != b; };
template <class A, class B>
concept compares = equates<A, B> && orders<A, B>;
template <class A, class B>
concept refuses_comparison = refuses_order<A, B> && refuses_equality<A, B>;
template <class A, class B>
concept adds_in_place = requires(A a, B b) { a += b; };
template <class A, class B>
concept subtracts_in_place = requires(A a, B b) { a -= b; };
template <class A>
concept counts = requires(A a) {
    ++a;
    a++;
    --a;
    a--;
};
// Whether a value becomes one of another type implicitly.
template <class From, class To>
concept becomes = requires(From x, void (*f)(To)) { f(x); };
template <class C, class D>
concept gets = requires(C c) { c.template get<D>(); };
template <class C, class D>
concept drops = requires(C c) { c.template drop<D>(); };
template <class C, class A, class B>
concept casts = requires(C c) { c.template cast<A, B>(); };
template <class T, class P>
concept subscripts = requires(T t, P p) { t[p]; };
template <class T, class P>
concept steps = requires(T t, P p) { t.step(p); };
template <class T, class D>
concept has_size = requires(T t) { t.template size<D>(); };
template <class T, class D>
concept has_extent = requires(T t) { t.template extent<D>(); };
template <class... Ts>
concept makes_coordinates = requires(Ts... xs) { spio::make_coordinates(xs...); };
template <class T>
concept ranges = requires(T t) { range(t); };
template <class A, class B>
concept has_min = requires(A a, B b) {
    spio::min(a, b);
    spio::max(a, b);
};
template <int N, class T>
concept refolds = requires(T t) { spio::refold<N>(t); };
template <int N, class T>
concept reduces = requires(T t) { spio::modulo<N>(t); };
template <class D, int N>
concept folds = requires { typename fold<D, N>; };

// Coordinates compare only if they share a base, so empty ones never do.
static_assert(compares<coords<I, J>, coords<J, K>> && refuses_comparison<coords<I, J>, coords<K>>);
static_assert(refuses_comparison<coords<I>, coords<>> && refuses_comparison<coords<>, coords<I>>);
static_assert(refuses_comparison<coords<>, coords<>> && compares<I, coords<I, J>>);
static_assert(refuses_comparison<K, coords<I, J>> && refuses_comparison<coords<I, J>, K8>);
static_assert(refuses_comparison<coords<I, J>, int> && refuses_comparison<int, coords<I, J>>);

// Only a base that is there can be dropped.
static_assert(drops<coords<I, J>, I> && !drops<coords<I, J>, K> && !drops<coords<>, I>);

// Values of two bases do not compare: I(1) == J(1) is refused.
static_assert(compares<I, I> && compares<I, I8> && compares<bounded<I8, 4>, I>);
static_assert(refuses_comparison<I, J> && refuses_comparison<I8, fold<J, 8>> &&
              refuses_comparison<K, I8>);

// A tensor takes no subscript whose base it lacks, no int, and no coordinates that share no base
// with it.
using T = spio::tensor<float, axis<I>(16), axis<J>(8)>;
using Cursor = decltype(T()[I(1)]);
static_assert(subscripts<T, I> && subscripts<T, I8> && subscripts<T, bounded<J, 4>>);
static_assert(subscripts<T, coords<I, K>> && subscripts<Cursor, coords<I, K>>);
static_assert(!subscripts<T, K> && !subscripts<T, int> && !subscripts<T, unsigned> &&
              !subscripts<T, coords<K>>);
static_assert(!subscripts<T, coords<>> && !subscripts<T, float*> && !subscripts<T, long long>);
static_assert(!subscripts<Cursor, K> && !subscripts<Cursor, int> && !subscripts<Cursor, coords<K>>);
static_assert(!subscripts<T, spio::compound_index<axis<K>(4)>>);

// A cursor takes no step by a base that its tensor lacks, or by an int; a base cursor takes none.
static_assert(steps<Cursor, I> && steps<Cursor, coords<I, K>> && !steps<Cursor, K> &&
              !steps<Cursor, int>);
static_assert(!steps<Cursor, coords<K>> && !steps<Cursor, coords<>>);
using Committed = decltype(T()[I(1)].rebase());
static_assert(steps<Committed, I> && !steps<Committed, K> && !steps<Committed, int>);
static_assert(!steps<Committed, coords<I>> && !subscripts<Committed, coords<I, J>>);
static_assert(subscripts<Committed, I> && !subscripts<Committed, K> && !subscripts<Committed, int>);

// A dimension that is not there has no size and no extent.
static_assert(has_size<T, I> && has_extent<T, I> && has_extent<T, I8>);
static_assert(!has_size<T, K> && !has_size<T, I8> && !has_extent<T, K>);
static_assert(has_size<Cursor, I> && !has_size<Cursor, K> && has_extent<Cursor, I> &&
              !has_extent<Cursor, K>);

// Dimensions do not multiply; numbers scale them.
static_assert(!multiplies<I, I> && !multiplies<K8, K> && !multiplies<I, J> && !divides<I, I>);
static_assert(multiplies<int, I> && multiplies<I, int> && divides<I, int> && !divides<int, I>);
static_assert(!multiplies<I, double> && !multiplies<double, I> && !multiplies<I, bool> &&
              !multiplies<I, char>);

// Folds of any strides add; there are +=, ++, unary minus, and differences of coordinates.
static_assert(adds<fold<K, 6>, fold<K, 4>> && adds_in_place<I, I> && adds_in_place<I, I8> &&
              counts<I>);
static_assert(counts<I8> && requires(I i, coords<I, J> c) {
    -i;
    -c;
});
static_assert(subtracts<coords<I>, coords<J>> && subtracts<coords<I, J>, I> &&
              subtracts<I, coords<I, J>>);

// In place, sums that would be rounded or leave the bound are refused, as are other bases.
static_assert(!adds_in_place<I8, I> && !subtracts_in_place<I8, I> && !adds_in_place<I, J>);
static_assert(!adds_in_place<I, int> && !subtracts_in_place<I, int> && !counts<bounded<I, 4>>);
static_assert(!adds_in_place<bounded<I, 4>, bounded<I, 4>> && !adds_in_place<bounded<I, 4>, I>);
static_assert(!adds_in_place<coords<I>, J> && !adds_in_place<coords<I8>, I> &&
              adds_in_place<coords<I>, I8>);

// An int is not added to coordinates.
static_assert(!adds<coords<I, J>, int> && !adds<int, coords<I, J>> && !subtracts<coords<I>, int>);
static_assert(!subtracts<int, coords<I>> && !adds<coords<>, int>);

// A conversion that rounds is not implicit.
static_assert(!becomes<I, I8> && !becomes<I8, fold<I, 16>> && !becomes<I, bounded<I, 4>>);
static_assert(!becomes<I, int> && !becomes<I, J> && !becomes<I, long> && !becomes<I, bool>);

// A bare integer is no dimension: I(1) + 3, I(1) % 3, I(1) < 7, K k = 3.
static_assert(!adds<I, int> && !adds<int, I> && !subtracts<I, int> && !subtracts<int, I>);
static_assert(!remains<I, int> && !remains<int, I> && !remains<I, J> && remains<I, I8>);
static_assert(refuses_comparison<I, int> && refuses_comparison<int, I> &&
              refuses_comparison<I, bool>);
static_assert(refuses_comparison<I8, long long> && refuses_comparison<unsigned char, I>);
static_assert(!becomes<int, K> && !becomes<int, K8> && !becomes<int, bounded<K, 4>> &&
              !becomes<int, coords<K>>);
static_assert(!adds<I, double> && refuses_comparison<I, double> && !adds<I, char> &&
              refuses_comparison<I, char>);

// Coordinates have one entry of a dimension at most.
static_assert(makes_coordinates<I, I8> && !makes_coordinates<I, I> && !makes_coordinates<I, J, I>);
static_assert(!makes_coordinates<I, bounded<I, 4>> && !makes_coordinates<I8, I8>);
static_assert(!makes_coordinates<int> && !makes_coordinates<I, int>);
template <class... Ts>
concept are_coords = requires { typename coords<Ts...>; };
static_assert(are_coords<> && are_coords<I, I8, J> && !are_coords<I, I> && !are_coords<int>);
static_assert(!are_coords<I, J, I> && !are_coords<I8, bounded<I8, 4>> && !are_coords<I, spio::dim>);

// get() finds only dimensions that coordinates, or an index, have.
static_assert(gets<coords<I, I8>, I8> && !gets<coords<I>, I8> && !gets<coords<I>, J> &&
              !gets<coords<>, I>);
using Index = spio::compound_index<axis<I>(4), axis<J>(8)>;
static_assert(gets<Index, I> && !gets<Index, K> && !gets<Index, I8>);

// An index has a size along its bounded dimensions only.
template <class T>
concept has_number = requires { T::size(); };
using Open = spio::compound_index<axis<J>(spio::dynamic), axis<I>(4)>;
static_assert(has_size<Index, I> && !has_size<Index, K> && !has_size<Index, I8>);
static_assert(has_number<Index> && !has_number<Open> && has_size<Open, I> && !has_size<Open, J>);

// A dynamic tensor is made with its dynamic sizes, and no other ones.
template <class... Sizes>
concept sizes =
    requires(float* p, Sizes... n) { spio::tensor<float, axis<J>(spio::dynamic)>(p, n...); };
static_assert(sizes<J> && sizes<fold<J, 8>> && !sizes<> && !sizes<I> && !sizes<J, J>);
static_assert(!sizes<int> && !sizes<coords<J>> && !sizes<J, int>);

// A cast must not make two entries of one dimension.
static_assert(casts<coords<I, J>, I, K> && !casts<coords<I, J>, I, J>);
static_assert(casts<Index, I, K> && !casts<Index, I, J>);

// An index is made of a number or of an OFFSET, and of nothing else.
template <class From>
concept makes_an_index = requires(From x) { Index(x); };
static_assert(makes_an_index<int> && makes_an_index<spio::OFFSET> &&
              makes_an_index<coords<spio::OFFSET, K>>);
static_assert(!makes_an_index<I> && !makes_an_index<coords<K>> && !makes_an_index<double>);

// range() takes a swizzled tensor, but no number.
static_assert(ranges<spio::tensor<float, spio::swizzle(axis<K>(8), axis<I>(8)), axis<I>(8)>>);
static_assert(ranges<I> && ranges<I8>);
template <class... Ts>
concept has_range = requires(Ts... xs) {
    spio::range(xs...);
    spio::reverse_range(xs...);
};
template <int Step, class... Ts>
concept has_steps = requires(Ts... xs) { spio::range_with_step<Step>(xs...); };
static_assert(has_range<I> && has_range<I8, I8> && !has_range<int> && !has_range<int, int>);
static_assert(!has_range<I, I8> && !has_range<I, int> && !has_range<coords<>>);
static_assert(has_steps<2, I> && has_steps<2, I, I> && !has_steps<0, I> && !has_steps<-1, I, I>);
static_assert(!has_steps<2, int> && !has_steps<2, I, J>);

// Values of two bases have no minimum; strides and bounds are positive.
static_assert(has_min<I, I8> && !has_min<I, J> && !has_min<I, int>);
static_assert(refolds<8, I> && !refolds<0, I> && !refolds<-8, I> && !refolds<8, int>);
static_assert(reduces<8, I> && !reduces<0, I> && !reduces<-8, I> && folds<I, 8> && !folds<I, 0> &&
              !folds<int, 8>);
template <class To, class T>
concept is_cast = requires(T x) { spio::cast<To>(x); };
static_assert(is_cast<J, I8> && !is_cast<fold<J, 8>, I8> && !is_cast<bounded<J, 8>, I>);
static_assert(!is_cast<int, I> && !is_cast<J, int> && !is_cast<spio::dim, I>);
