// The lists of dimensions behind coordinates and layouts: found, counted and filtered by base.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. A base is a dimension
// that is no fold. axis<K>(32) is the dimension K with 32 values.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
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
using spio::coords;
using spio::fold;
using I2 = fold<I, 2>;
using I8 = fold<I, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

// Whether coordinates have an entry of a dimension's base, whatever its fold. (contains_base_dim)
template <class C, class D>
concept has_base = spio::shares_a_base<C, D>;
static_assert(has_base<coords<I, J>, I> && has_base<coords<I8, J>, I> && has_base<coords<I>, I8>);
static_assert(!has_base<coords<I, J>, K> && !has_base<coords<>, I>);
static_assert(has_base<coords<I, I8, J, K>, K> && has_base<coords<I, J>, coords<K, J>>);
static_assert(!has_base<coords<I, J>, coords<K>> && !has_base<I, J> && has_base<I, I8>);

// has_dimension<D> asks for exactly D; another fold of its base is not enough. (contains type)
static_assert(coords<I, I8, J>::has_dimension<I8> && coords<I, I8, J>::has_dimension<I> &&
              coords<I, I8, J>::has_dimension<J>);
static_assert(!coords<I, J>::has_dimension<I8> && !coords<I8, J>::has_dimension<I> &&
              !coords<>::has_dimension<I>);

// The bases of coordinates: each once, in order of first appearance. (unique_base_dims)
template <class... Ts> using bases = typename coords<Ts...>::bases;
static_assert(same<bases<I, J>, bases<I8, J>> && same<bases<I, I8, J>, bases<I, J>>);
static_assert(same<bases<I8, I2>, bases<I>> && same<bases<I8, J, I2>, bases<I, J>>);
static_assert(!same<bases<I, J>, bases<J, I>> && same<bases<>, coords<>::bases>);

// num_dims() is the number of entries. (tuple_size)
static_assert(coords<>::num_dims() == 0 && coords<I>::num_dims() == 1);
static_assert(coords<I, I8, J>::num_dims() == 3);

// get<D>() is the entry of D. (get by type)
constexpr auto three = spio::make_coordinates(I(1), fold<J, 4>(2), K(3));
static_assert(three.get<I>() == I(1) && three.get<fold<J, 4>>() == J(8) && three.get<K>() == K(3));

// total<D>() is the sum of all entries of D's base, in the finest stride among them.
// (get_by_base_dim)
constexpr auto repeated = spio::make_coordinates(I8(1), J(5), I2(3));
static_assert(repeated.total<I>() == I(14) && repeated.total<J>() == J(5));
static_assert(same<decltype(repeated.total<I>()), I2>);

// drop<D>() leaves all entries of D's base out. (exclude_base_dims)
static_assert(same<decltype(repeated.drop<I>()), coords<J>> &&
              same<decltype(repeated.drop<J>()), coords<I8, I2>>);
static_assert(same<decltype(repeated.drop<I>().drop<J>()), coords<>>);

// Of coordinates, a tensor takes the bases that it has. (keep_base_dims)
constexpr char memory[1024] = {};
using T = spio::tensor<char const, axis<I>(16), axis<J>(8)>;
constexpr auto place = spio::make_coordinates(K(9), I8(1), J(3), I2(2));
static_assert(T(memory)[place].get() == T(memory)[I(12)][J(3)].get());
static_assert(T(memory)[place].get() == T(memory)[place.drop<K>()].get());

// A layout has a list of its bases, and one of the dimensions that its axes count.
using Shape = spio::layout<axis<K>(32) / 8, axis<I>(4), axis<K>(32) % 8>;
static_assert(same<Shape::bases, bases<K, I>> && Shape::num_axes == 3);
static_assert(Shape::has_axis<K> && Shape::has_axis<fold<K, 8>> && Shape::has_axis<I>);
static_assert(!Shape::has_axis<fold<K, 4>> && !Shape::has_axis<J> && !Shape::has_axis<I8>);
