// Coordinates: one value for each of several dimensions, added base by base.
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
using I4 = fold<I, 4>;
using I8 = fold<I, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

// Whether coordinates have exactly these types, in this order, and these values.
template <class... Ts> struct exactly {
    template <class C, class... Ns>
    static constexpr bool holds([[maybe_unused]] C c, Ns... values) {
        return same<C, coords<Ts...>> && C::num_dims() == sizeof...(Ts) &&
               ((c.template get<Ts>().get() == values) && ...);
    }
};

// Coordinates are made of a value of each dimension. (Coordinates.direct_construction)
static_assert(coords<I, J>(I(1), J(2)).get<I>() == I(1) &&
              coords<I, J>(I(1), J(2)).get<J>() == J(2));
static_assert(exactly<I, J>::holds(coords<I, J>(), 0, 0) && exactly<>::holds(coords<>()));

// Values come from variables, constants and expressions.
// (Coordinates.make_coordinates_from_lvalues, make_coordinates_mixed, const_access)
constexpr bool is_made_from_variables() {
    I i(3);
    J const j(4);
    auto const from_lvalues = make_coordinates(i, j);
    auto const mixed = make_coordinates(i, J(5));
    i = I(9);
    return exactly<I, J>::holds(from_lvalues, 3, 4) && exactly<I, J>::holds(mixed, 3, 5);
}
static_assert(is_made_from_variables());

// Sums: the entries of each dimension add. (Coordinates.add_same_dims)
static_assert(exactly<I, J>::holds(make_coordinates(I(1), J(2)) + make_coordinates(I(10), J(20)),
                                   11, 22));

// Dimensions that only one side has are kept. (Coordinates.add_disjoint_dims)
static_assert(exactly<I, J>::holds(make_coordinates(I(5)) + make_coordinates(J(7)), 5, 7));

// Shared dimensions add, the others are kept. (Coordinates.add_overlapping_dims)
static_assert(exactly<I, J, K>::holds(make_coordinates(I(1), J(2)) + make_coordinates(J(20), K(30)),
                                      1, 22, 30));

// The right side may have fewer dimensions. (Coordinates.add_subset_b_in_a)
static_assert(exactly<I, J, K>::holds(make_coordinates(I(3), J(4), K(5)) + make_coordinates(J(10)),
                                      3, 14, 5));

// The left side may have fewer dimensions, and its order comes first.
// (Coordinates.add_subset_a_in_b)
static_assert(exactly<J, I, K>::holds(make_coordinates(J(10)) + make_coordinates(I(3), J(4), K(5)),
                                      14, 3, 5));

// Coordinates of one dimension add. (Coordinates.add_single_dims)
static_assert(exactly<I>::holds(make_coordinates(I(100)) + make_coordinates(I(23)), 123));

// A dimension and a fold of it add to the dimension. (Coordinates.add_dim_and_fold_same_base)
static_assert(exactly<I>::holds(make_coordinates(I(3)) + make_coordinates(I8(2)), 19));

// Two folds of one base add to the finer one. (Coordinates.add_two_folds_different_strides)
static_assert(exactly<I4>::holds(make_coordinates(I8(1)) + make_coordinates(I4(2)), 4));

// Each base is added by itself. (Coordinates.add_mixed_folds_and_dims)
static_assert(exactly<I, J>::holds(make_coordinates(I(2), fold<J, 4>(1)) +
                                       make_coordinates(I8(1), J(3)),
                                   10, 7));
static_assert(exactly<fold<K, 8>>::holds(make_coordinates(fold<K, 8>(2)) +
                                             make_coordinates(fold<K, 16>(1)),
                                         4));

// The left side may have two entries of one base. (Coordinates.add_unnormalized_to_normalized)
static_assert(exactly<I>::holds(make_coordinates(I(1), I8(1)) + make_coordinates(I(5)), 14));

// A single value may be added: a new dimension is appended. (Coordinates.add_single_dim_to_coords)
static_assert(exactly<I, J, K>::holds(make_coordinates(I(1), J(2)) + K(5), 1, 2, 5));
static_assert(exactly<K, I, J>::holds(K(5) + make_coordinates(I(1), J(2)), 5, 1, 2));

// A value of a present dimension is added to its entry. (Coordinates.add_single_dim_existing)
static_assert(exactly<I, J>::holds(make_coordinates(I(1), J(2)) + I(10), 11, 2));

// A fold of a present dimension is added to its entry. (Coordinates.add_fold_to_coords)
static_assert(exactly<I, J>::holds(make_coordinates(I(3), J(2)) + I8(1), 11, 2));

// Empty coordinates plus a value have this value. (Coordinates.add_single_dim_to_empty_coords)
static_assert(exactly<I>::holds(coords<>() + I(5), 5) && exactly<I>::holds(I(5) + coords<>(), 5));
static_assert(exactly<I, J>::holds(coords<>() + make_coordinates(I(1), J(2)), 1, 2));

// A bounded value adds to its dimension. (Coordinates.add_module_to_coords)
static_assert(exactly<I, J>::holds(make_coordinates(I(1), J(2)) + bounded<I, 8>(5), 6, 2));
static_assert(exactly<I, J>::holds(make_coordinates(bounded<I, 8>(5)) + bounded<I, 8>(6) + J(1), 11,
                                   1));

// A single value may stand on the left. (Coordinates.dim_plus_coordinates)
static_assert(exactly<I, J, K>::holds(I(5) + make_coordinates(J(2), K(3)), 5, 2, 3));

// Its dimension may be among the coordinates: then the two values are added.
// (Coordinates.dim_plus_coordinates_existing_dim)
static_assert(exactly<I, J>::holds(I(10) + make_coordinates(I(2), J(3)), 12, 3));

// A single value may be subtracted. (Coordinates.subtract_single_dim_existing)
static_assert(exactly<I, J>::holds(make_coordinates(I(10), J(5)) - I(3), 7, 5));

// A dimension that is not there counts as 0. (Coordinates.subtract_single_dim_new)
static_assert(exactly<I, J, K>::holds(make_coordinates(I(10), J(5)) - K(3), 10, 5, -3));

// A fold is subtracted from its base. (Coordinates.subtract_fold_from_coords)
static_assert(exactly<I, J>::holds(make_coordinates(I(20), J(5)) - I8(1), 12, 5));

// A bounded value is subtracted from its base. (Coordinates.subtract_module_from_coords)
static_assert(exactly<I, J>::holds(make_coordinates(I(10), J(3)) - bounded<I, 4>(2), 8, 3));

// Coordinates subtract, negate, scale and move in place.
static_assert(exactly<I, J>::holds(make_coordinates(I(10), J(3)) - make_coordinates(I(4), J(5)), 6,
                                   -2));
static_assert(exactly<I, J, K>::holds(make_coordinates(I(1), J(2)) - make_coordinates(J(5), K(7)),
                                      1, -3, -7));
static_assert(exactly<I, J>::holds(I(10) - make_coordinates(I(4), J(5)), 6, -5));
static_assert(exactly<I, J>::holds(-make_coordinates(I(1), bounded<J, 4>(3)), -1, -3));
static_assert(exactly<I, J>::holds(make_coordinates(I(1), J(2)) * 3, 3, 6));
static_assert(exactly<I, J>::holds(3 * make_coordinates(I(1), J(2)), 3, 6));
constexpr bool moves_in_place() {
    auto c = make_coordinates(I(1), J(2));
    c += make_coordinates(I(10), J(20));
    c += I(100);
    c -= J(2);
    return exactly<I, J>::holds(c, 111, 20);
}
static_assert(moves_in_place());

// Empty coordinates are nowhere negative. (Coordinates.all_non_negative_empty)
static_assert(coords<>().all_non_negative());

// Coordinates of one entry are nowhere negative if it is at least 0.
// (Coordinates.all_non_negative_single_positive, all_non_negative_single_zero,
// all_non_negative_single_negative)
static_assert(make_coordinates(I(5)).all_non_negative() &&
              make_coordinates(I(0)).all_non_negative());
static_assert(!make_coordinates(I(-1)).all_non_negative());

// One negative entry suffices, wherever it stands.
// (Coordinates.all_non_negative_multiple_all_positive, all_non_negative_multiple_with_zeros,
// all_non_negative_multiple_first_negative, all_non_negative_multiple_middle_negative,
// all_non_negative_multiple_last_negative, all_non_negative_multiple_all_negative)
constexpr bool every_entry_counts() {
    for (int i = -1; i <= 1; ++i) {
        for (int j = -1; j <= 1; ++j) {
            for (int k = -1; k <= 1; ++k) {
                bool const expected = i >= 0 && j >= 0 && k >= 0;
                if (make_coordinates(I(i), J(j), K(k)).all_non_negative() != expected) return false;
            }
        }
    }
    return true;
}
static_assert(every_entry_counts());

// Entries that are folds count too. (Coordinates.all_non_negative_fold_positive,
// all_non_negative_fold_negative)
static_assert(make_coordinates(I8(2)).all_non_negative() &&
              !make_coordinates(I8(-2)).all_non_negative());

// Each entry must be at least 0: none makes up for another.
// (Coordinates.all_non_negative_mixed_dims_and_folds, all_non_negative_mixed_with_negative_fold)
static_assert(make_coordinates(I(3), I8(1), J(0)).all_non_negative());
static_assert(!make_coordinates(I(9), I8(-1)).all_non_negative());
