// The positions of a tensor: every element once, in the order in which its axes are written.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. Laws are those of
// docs/algebra.md. A ring is an axis around which positions wrap.
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
using spio::bounded;
using spio::coords;
using spio::fold;
using spio::make_coordinates;
using spio::range;
using spio::tensor;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

// What tensors point to; only addresses in it matter.
constexpr char memory[8192] = {};
// Whether range(tensor) has `size` positions, of which the n-th is expected(n).
template <class Tensor, class Law> constexpr bool visits(int size, Law expected) {
    int n = 0;
    for (auto x : range(Tensor(memory))) {
        if (n == size || x != expected(n)) return false;
        ++n;
    }
    return n == size && Tensor::size() == size;
}
// Every address of a tensor that is injective is reached once.
template <class Tensor> constexpr bool visits_every_element_once() {
    Tensor const t(memory);
    bool is_visited[Tensor::storage_size()] = {};
    int count = 0;
    for (auto x : range(t)) {
        auto const offset = t[x].get() - memory;
        if (!t[x].inbounds() || offset < 0 || offset >= Tensor::storage_size() ||
            is_visited[offset])
            return false;
        is_visited[offset] = true;
        ++count;
    }
    return count == Tensor::size();
}

constexpr auto i = axis<I>(16);
constexpr auto j = axis<J>(8);
constexpr auto k = axis<K>(32);

// One axis: its values in order. (CoordinatesRange.single_dimension)
static_assert(visits<tensor<char const, axis<I>(3)>>(3, [](int n) { return I(n); }));

// Two axes: the last one runs fastest. (CoordinatesRange.two_dimensions)
static_assert(visits<tensor<char const, axis<J>(3), axis<I>(2)>>(6, [](int n) {
    return make_coordinates(I(n % 2), J(n / 2));
}));

// Three axes: the last one runs fastest. (CoordinatesRange.three_dimensions)
static_assert(visits<tensor<char const, axis<K>(2), axis<J>(2), axis<I>(2)>>(8, [](int n) {
    return make_coordinates(I(n % 2), J(n / 2 % 2), K(n / 4));
}));

// One element has one position. (CoordinatesRange.single_element)
static_assert(visits<tensor<char const, axis<I>(1), axis<J>(1)>>(1, [](int) {
    return make_coordinates(I(0), J(0));
}));

// Iterators are equal after as many steps. (CoordinatesRange.iterator_equality)
constexpr bool iterators_compare() {
    tensor<char const, axis<I>(3)> const t(memory);
    auto a = range(t).begin();
    auto b = range(t).begin();
    if (!(a == b)) return false;
    ++a;
    if (a == b) return false;
    ++b;
    return a == b;
}
static_assert(iterators_compare());

// An iterator gives a position, as coordinates. (CoordinatesRange.iterator_dereference)
static_assert(visits<tensor<char const, axis<J>(2), axis<I>(3)>>(6, [](int n) {
    return make_coordinates(I(n % 3), J(n / 3));
}));

// An axis of one element is always 0. (CoordinatesRange.asymmetric_dimensions)
static_assert(visits<tensor<char const, axis<I>(1), axis<J>(5)>>(5, [](int n) {
    return make_coordinates(I(0), J(n));
}));

// Three axes with 512 positions. (CoordinatesRange.large_iteration)
static_assert(visits<tensor<char const, axis<I>(4), j, axis<K>(16)>>(512, [](int n) {
    return make_coordinates(I(n / 128), J(n / 16 % 8), K(n % 16));
}));

// Axes of folds give values of the folds. (CoordinatesRange.fold_dimensions)
static_assert(visits<tensor<char const, axis<I>(16) / 8, axis<J>(12) / 4>>(6, [](int n) {
    return make_coordinates(fold<I, 8>(n / 3), fold<J, 4>(n % 3));
}));

// A position has a bounded value for each axis. (CoordinatesRange.module_type_properties,
// module_type_with_fold)
template <class Tensor> using position_of = decltype(*range(Tensor()).begin());
static_assert(
    same<position_of<tensor<char, i, axis<J>(24)>>, coords<bounded<I, 16>, bounded<J, 24>>>);
static_assert(
    same<position_of<tensor<char, i / 8, j>>, coords<bounded<fold<I, 8>, 2>, bounded<J, 8>>>);

// The order is that in which the axes are written, for any strides in memory.
static_assert(visits<tensor<char const, axis<I>(4).pitch(1), axis<J>(8).pitch(4)>>(32, [](int n) {
    return make_coordinates(I(n / 8), J(n % 8));
}));

// Every element is visited once with pitches, folds, swizzles and user functions (law 9 of
// docs/algebra.md).
static_assert(visits_every_element_once<tensor<char const, axis<I>(8).pitch(64), axis<J>(32)>>());
static_assert(visits_every_element_once<tensor<char const, axis<I>(4).pitch(9), j>>());
static_assert(visits_every_element_once<tensor<char const, k / 8, i.pitch(10), k % 8>>());
static_assert(visits_every_element_once<tensor<char const, k % 8, i, k / 8>>());
static_assert(visits_every_element_once<tensor<char const, k / 16, k / 4 % 4, i, k % 4>>());
static_assert(visits_every_element_once<
              tensor<char const, axis<I>(2).pitch(20), axis<J>(3).pitch(5), axis<K>(4)>>());
static_assert(visits_every_element_once<
              tensor<char const, k / 16, spio::checkerboard(i, k / 8 % 2), k % 8>>());
static_assert(visits_every_element_once<tensor<char const, i, spio::swizzle(j, i % 8)>>());
static_assert(visits_every_element_once<
              tensor<char const, i, spio::derived([](J x) { return 7 - x.get(); }, j)>>());
static_assert(visits_every_element_once<tensor<char const, axis<K>(4).ring(), j>>());

// The first positions of a tensor whose number of elements takes more than 32 bits.
using Vast = tensor<char const, axis<I>(2), axis<J>(1 << 16), axis<K>(1 << 16)>;
constexpr bool starts_at_zero() {
    auto x = range(Vast()).begin();
    if (*x != make_coordinates(I(0), J(0), K(0))) return false;
    ++x;
    return *x == make_coordinates(I(0), J(0), K(1));
}
static_assert(starts_at_zero());
