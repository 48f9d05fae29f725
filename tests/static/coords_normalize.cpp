// Coordinates normalized, with a dimension dropped, and with a dimension renamed.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. A base is a dimension
// that is no fold.
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
using spio::bounded;
using spio::coords;
using spio::fold;
using spio::make_coordinates;
using spio::make_normalized_coordinates;
using I4 = fold<I, 4>;
using I8 = fold<I, 8>;
using J4 = fold<J, 4>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

// Whether coordinates have exactly these types, in this order, and these values.
template <class... Ts> struct exactly {
    template <class C, class... Ns>
    static constexpr bool holds([[maybe_unused]] C c, Ns... values) {
        return same<C, coords<Ts...>> && C::num_dims() == sizeof...(Ts) &&
               ((c.template digit<Ts>().get() == values) && ...);
    }
};

// normalize() leaves a single entry. (Coordinates.normalize_single_dim)
static_assert(exactly<I>::holds(make_coordinates(I(5)).normalize(), 5));

// normalize() leaves one entry of each dimension. (Coordinates.normalize_multiple_different_dims)
static_assert(exactly<I, J>::holds(make_coordinates(I(3), J(7)).normalize(), 3, 7));

// normalize() leaves a single fold. (Coordinates.normalize_fold_single)
static_assert(exactly<I8>::holds(make_coordinates(I8(2)).normalize(), 2));

// A dimension and its fold become one entry. (Coordinates.normalize_dim_and_fold_same_base)
static_assert(exactly<I>::holds(make_coordinates(I(3), I8(2)).normalize(), 19));

// Two folds become the finer one. (Coordinates.normalize_two_folds_same_base)
static_assert(exactly<I8>::holds(make_coordinates(I8(1), fold<I, 16>(2)).normalize(), 5));

// Two folds become the finer one, whichever comes first.
// (Coordinates.normalize_two_folds_smaller_stride_second)
static_assert(exactly<I4>::holds(make_coordinates(I8(1), I4(2)).normalize(), 4));

// normalize() adds up the entries of each base by itself.
// (Coordinates.normalize_mixed_dims_and_folds)
static_assert(exactly<I, J>::holds(make_coordinates(I(2), I8(3), J(1), J4(2)).normalize(), 26, 9));

// A fold stays where its base has no other entry.
// (Coordinates.normalize_preserves_fold_when_no_dim)
static_assert(exactly<I8, J4>::holds(make_coordinates(I8(2), J4(3)).normalize(), 2, 3));

// normalize() keeps the order of the bases. (Coordinates.normalize_preserves_order)
static_assert(exactly<I, J4>::holds(make_coordinates(I(5), J4(3)).normalize(), 5, 3));
static_assert(exactly<I, K>::holds(make_coordinates(I(1), fold<K, 8>(2), K(5)).normalize(), 1, 21));
static_assert(exactly<bounded<I, 4>, J>::holds(make_coordinates(bounded<I, 4>(3), J(1)).normalize(),
                                               3, 1));

// make_normalized_coordinates() adds up the values that it is given.
// (Coordinates.make_normalized_coordinates_single_dim)
static_assert(exactly<I>::holds(make_normalized_coordinates(I(5)), 5));

// make_normalized_coordinates() keeps one value of each dimension.
// (Coordinates.make_normalized_coordinates_multiple_dims)
static_assert(exactly<I, J>::holds(make_normalized_coordinates(I(3), J(7)), 3, 7));

// make_normalized_coordinates() keeps a single fold.
// (Coordinates.make_normalized_coordinates_fold_single)
static_assert(exactly<I8>::holds(make_normalized_coordinates(I8(2)), 2));

// A dimension and its fold become one entry. (Coordinates.make_normalized_coordinates_dim_and_fold)
static_assert(exactly<I>::holds(make_normalized_coordinates(I(3), I8(2)), 19));

// Two folds become the finer one. (Coordinates.make_normalized_coordinates_two_folds)
static_assert(exactly<I4>::holds(make_normalized_coordinates(I8(1), I4(2)), 4));

// make_normalized_coordinates() adds up each base by itself.
// (Coordinates.make_normalized_coordinates_mixed)
static_assert(exactly<I, J>::holds(make_normalized_coordinates(I(2), I8(3), J(1), J4(2)), 26, 9));
static_assert(exactly<I>::holds(make_normalized_coordinates(I(1), I(2)), 3));

// Normalized coordinates are made of variables, too.
// (Coordinates.make_normalized_coordinates_from_lvalues)
constexpr bool is_made_from_variables() {
    I const i(3);
    I8 f(2);
    return exactly<I>::holds(make_normalized_coordinates(i, f), 19);
}
static_assert(is_made_from_variables());

// Normalizing does not change the position that coordinates stand for, whatever two entries they
// have.
constexpr bool normalizing_sums() {
    for (int a = -20; a < 20; ++a) {
        for (int b = -20; b < 20; ++b) {
            auto const c = make_coordinates(I4(a), fold<I, 6>(b), J(a));
            if (!exactly<fold<I, 2>, J>::holds(c.normalize(), 2 * a + 3 * b, a)) return false;
        }
    }
    return true;
}
static_assert(normalizing_sums());

constexpr auto ijk = make_coordinates(I(1), J(2), K(3));

// drop() takes a dimension out. (Coordinates.drop_single_dim)
static_assert(exactly<I, K>::holds(ijk.drop<J>(), 1, 3));

// drop() takes the first dimension out. (Coordinates.drop_first_dim)
static_assert(exactly<J, K>::holds(ijk.drop<I>(), 2, 3));

// drop() takes the last dimension out. (Coordinates.drop_last_dim)
static_assert(exactly<I, J>::holds(ijk.drop<K>(), 1, 2));

// A fold is dropped by its base. (Coordinates.drop_fold_by_base_dim)
static_assert(exactly<J>::holds(make_coordinates(I8(2), J(3)).drop<I>(), 3));

// drop() takes out all folds of the base. (Coordinates.drop_multiple_folds_same_base)
static_assert(exactly<J>::holds(make_coordinates(I4(1), J(3), I8(2)).drop<I>(), 3));

// drop() takes out the base and its folds. (Coordinates.drop_base_and_fold_same_dim)
static_assert(exactly<J>::holds(make_coordinates(I(1), I8(2), J(3)).drop<I>(), 3));

// drop() may leave one dimension. (Coordinates.drop_to_single_dim)
static_assert(exactly<J>::holds(make_coordinates(I(1), J(2)).drop<I>(), 2));

// drop() may leave no dimension. (Coordinates.drop_to_empty)
static_assert(exactly<>::holds(make_coordinates(I(1)).drop<I>()));

// What drop() leaves keeps its types and values. (Coordinates.drop_preserves_values)
static_assert(exactly<bounded<I, 8>, fold<K, 8>>::holds(
    make_coordinates(bounded<I, 8>(7), J(2), fold<K, 8>(3)).drop<J>(), 7, 3));

// cast() renames a dimension. (Coordinates.cast_single_dim)
static_assert(exactly<K, J>::holds(make_coordinates(I(5), J(10)).cast<I, K>(), 5, 10));

// cast() of a dimension that is not there changes nothing. (Coordinates.cast_no_match)
static_assert(exactly<I, J>::holds(make_coordinates(I(5), J(10)).cast<K, I>(), 5, 10));

// cast() renames a fold with its base. (Coordinates.cast_fold_to_different_base)
static_assert(exactly<fold<K, 8>>::holds(make_coordinates(I8(2)).cast<I, K>(), 2));

// cast() renames all folds of a base. (Coordinates.cast_multiple_same_base)
static_assert(exactly<fold<K, 4>, fold<K, 8>>::holds(make_coordinates(I4(1), I8(2)).cast<I, K>(), 1,
                                                     2));

// cast() renames the base and its folds. (Coordinates.cast_base_and_fold_same_dim)
static_assert(exactly<K, fold<K, 8>, J>::holds(make_coordinates(I(1), I8(2), J(3)).cast<I, K>(), 1,
                                               2, 3));

// cast() keeps the values. (Coordinates.cast_preserves_values)
static_assert(exactly<K, J>::holds(make_coordinates(I(-7), J(99)).cast<I, K>(), -7, 99));

// cast() leaves empty coordinates empty. (Coordinates.cast_empty_coordinates)
static_assert(exactly<>::holds(coords<>().cast<I, K>()));

// cast() may rename the only dimension. (Coordinates.cast_all_dims)
static_assert(exactly<K>::holds(make_coordinates(I(5)).cast<I, K>(), 5));

// A bounded value keeps its bound. (Coordinates.cast_module_to_different_base)
static_assert(exactly<bounded<K, 4>>::holds(make_coordinates(bounded<I, 4>(3)).cast<I, K>(), 3));
