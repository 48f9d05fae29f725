// Comparison of coordinates: a partial order, which holds if it holds in every shared base.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. A base is a dimension
// that is no fold. A compound index is one number for several indices, the last of which varies
// fastest. axis<K>(32) is the dimension K with 32 values.
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
using spio::fold;
using spio::make_coordinates;
using I4 = fold<I, 4>;
using I8 = fold<I, 8>;
using J8 = fold<J, 8>;
constexpr auto ij(int i, int j) { return make_coordinates(I(i), J(j)); }
constexpr auto jk(int j, int k) { return make_coordinates(J(j), K(k)); }

// Coordinates are less if they are in every dimension. (Coordinates.less_than_same_dims_true,
// less_than_same_dims_false_first, less_than_same_dims_false_second, less_than_same_dims_equal)
static_assert(ij(1, 2) < ij(10, 20) && !(ij(100, 2) < ij(10, 20)));
static_assert(!(ij(1, 200) < ij(10, 20)) && !(ij(5, 10) < ij(5, 10)));

// Only shared dimensions count. (Coordinates.less_than_partial_overlap_true,
// less_than_partial_overlap_false)
static_assert(ij(1, 2) < jk(20, 30) && !(ij(1, 200) < jk(20, 30)));

// The left side may have fewer dimensions. (Coordinates.less_than_a_subset_of_b)
static_assert(make_coordinates(J(5)) < make_coordinates(I(10), J(20), K(30)));

// The right side of a comparison may have fewer dimensions. (Coordinates.less_than_b_subset_of_a)
static_assert(make_coordinates(I(1), J(2), K(3)) < make_coordinates(J(20)));

// Coordinates are less or equal if they are in every dimension.
// (Coordinates.less_equal_same_dims_true, less_equal_same_dims_equal, less_equal_same_dims_false)
static_assert(ij(1, 2) <= ij(10, 20) && ij(5, 10) <= ij(5, 10) && !(ij(100, 2) <= ij(10, 20)));

// Coordinates are greater if they are in every dimension. (Coordinates.greater_same_dims_true,
// greater_same_dims_false, greater_same_dims_equal)
static_assert(ij(100, 200) > ij(10, 20) && !(ij(1, 2) > ij(10, 20)) && !(ij(5, 10) > ij(5, 10)));

// Coordinates are greater or equal if they are in every dimension.
// (Coordinates.greater_equal_same_dims_true, greater_equal_same_dims_equal,
// greater_equal_same_dims_false)
static_assert(ij(100, 200) >= ij(10, 20) && ij(5, 10) >= ij(5, 10) && !(ij(1, 2) >= ij(10, 20)));

// Coordinates are equal if they are in every dimension. (Coordinates.equal_same_dims_true,
// equal_same_dims_false)
static_assert(ij(5, 10) == ij(5, 10) && !(ij(5, 10) == ij(5, 20)));

// Equal in the shared dimensions is enough. (Coordinates.equal_partial_overlap_true,
// equal_partial_overlap_false)
static_assert(ij(1, 20) == jk(20, 30) && !(ij(1, 20) == jk(30, 30)));

// Not equal is the opposite of equal. (Coordinates.not_equal_same_dims_true,
// not_equal_same_dims_false)
static_assert(ij(5, 10) != ij(5, 20) && !(ij(5, 10) != ij(5, 10)));

// So it is where only one dimension is shared. (Coordinates.not_equal_partial_overlap)
static_assert(ij(1, 20) != jk(30, 30));

// The order is partial: (1, 5) is neither less than (2, 5), nor equal, nor greater.
static_assert(!(ij(1, 5) < ij(2, 5)) && !(ij(1, 5) >= ij(2, 5)) && !(ij(1, 6) <= ij(2, 5)));

// A dimension compares with a fold of it. (Coordinates.less_than_dim_vs_fold)
static_assert(make_coordinates(I(5)) < make_coordinates(I8(1)));
static_assert(!(make_coordinates(I8(1)) < make_coordinates(I(5))));

// Folds compare by their ones. (Coordinates.less_than_two_folds_different_strides)
static_assert(make_coordinates(I4(1)) < make_coordinates(I8(1)));
static_assert(!(make_coordinates(I8(1)) < make_coordinates(I4(1))));

// Eight ones are one fold of 8. (Coordinates.less_equal_dim_vs_fold_equal)
static_assert(make_coordinates(I(8)) <= make_coordinates(I8(1)));
static_assert(make_coordinates(I8(1)) <= make_coordinates(I(8)));
static_assert(make_coordinates(I(8)) == make_coordinates(I8(1)));

// All entries of a base are added up before they are compared.
// (Coordinates.equal_unnormalized_coordinates)
static_assert(make_coordinates(I(1), I8(1)) == make_coordinates(I(9)));

// Coordinates differ if the sums of their entries do.
// (Coordinates.not_equal_unnormalized_coordinates)
static_assert(make_coordinates(I(1), I8(1)) != make_coordinates(I(10)));
static_assert(!(make_coordinates(I(1), I8(1)) == make_coordinates(I(10))));

// Both sides of a comparison may have dimensions and folds.
// (Coordinates.greater_mixed_folds_and_dims)
static_assert(make_coordinates(I(10), J8(2)) > make_coordinates(I4(2), J(10)));
static_assert(!(make_coordinates(I4(2), J(10)) > make_coordinates(I(10), J8(2))));

// Folds, of which one dimension is shared. (Coordinates.comparison_partial_overlap_with_folds)
constexpr auto folded = make_coordinates(I8(1), fold<K, 4>(3));
static_assert(ij(5, 10) < folded && !(ij(5, 10) > folded) && !(ij(5, 10) == folded));

// A single value compares like coordinates of one entry. (Coordinates.compare_dim_with_coordinates,
// compare_coordinates_with_dim)
constexpr bool compares_with_a_dim() {
    auto const c = ij(5, 3);
    for (int n = 3; n <= 7; n += 2) {
        I const i(n);
        if ((i < c) != (n < 5) || (i <= c) != (n <= 5) || (i > c) != (n > 5)) return false;
        if ((i >= c) != (n >= 5) || (i == c) != (n == 5) || (i != c) != (n != 5)) return false;
        if ((c < i) != (5 < n) || (c <= i) != (5 <= n) || (c > i) != (5 > n)) return false;
        if ((c >= i) != (5 >= n) || (c == i) != (n == 5) || (c != i) != (n != 5)) return false;
    }
    return true;
}
static_assert(compares_with_a_dim());

// All six operators: each holds if it holds for every base. All values of a small domain.
constexpr bool is_the_product_order() {
    for (int a = -2; a < 3; ++a) {
        for (int b = -2; b < 3; ++b) {
            for (int c = -2; c < 3; ++c) {
                for (int d = -2; d < 3; ++d) {
                    auto const x = make_coordinates(I8(a), J(b), K(9));
                    auto const y = make_coordinates(J8(d), I(c));
                    if ((x < y) != (8 * a < c && b < 8 * d)) return false;
                    if ((x <= y) != (8 * a <= c && b <= 8 * d)) return false;
                    if ((x > y) != (8 * a > c && b > 8 * d)) return false;
                    if ((x >= y) != (8 * a >= c && b >= 8 * d)) return false;
                    if ((x == y) != (8 * a == c && b == 8 * d)) return false;
                    if ((x != y) == (x == y)) return false;
                }
            }
        }
    }
    return true;
}
static_assert(is_the_product_order());

// In a comparison with a compound index, its coordinates are compared.
using Index = spio::compound_index<spio::axis<I>(8), spio::axis<J>(4)>; // I = o / 4, J = o % 4

// Offset 20 is (5, 0), whose second value is not greater. (Coordinates.less_than_index)
static_assert(!(ij(1, 2) < Index(20)));

// Offset 28 is (7, 0). (Coordinates.less_than_index_true)
static_assert(!(ij(1, 2) < Index(28)) && ij(1, -1) < Index(28));

// Offset 14 is (3, 2), of which both values are greater. (Coordinates.less_than_index_all_less)
static_assert(ij(2, 1) < Index(14));

// Coordinates compare with an index by all operators. (Coordinates.less_equal_index,
// greater_equal_index, equal_index, not_equal_index)
static_assert(ij(3, 2) <= Index(14) && ij(3, 2) >= Index(14) && ij(3, 2) == Index(14));
static_assert(ij(3, 2) != Index(15) && Index(14) == ij(3, 2) && Index(15) > ij(2, 2));

// Offset 9 is (2, 1). (Coordinates.greater_than_index)
static_assert(ij(3, 5) > Index(9));

// Only shared dimensions count. (Coordinates.equal_index_partial_overlap,
// less_than_index_partial_overlap)
static_assert(make_coordinates(I(3), K(100)) == Index(14) &&
              make_coordinates(I(2), K(100)) < Index(14));

// The coordinates of an index add. (Coordinates.add_index)
static_assert((ij(1, 2) + Index(14)).get<I>() == I(4) && (ij(1, 2) + Index(14)).get<J>() == J(4));

// So do those of an index with a fold. (Coordinates.add_index_with_fold)
using FoldedIndex = spio::compound_index<spio::axis<I>(32) / 8, spio::axis<J>(8)>;
static_assert((ij(5, 2) + FoldedIndex(10)).get<I>() == I(13));
static_assert((ij(5, 2) + FoldedIndex(10)).get<J>() == J(4));
static_assert(FoldedIndex(10) + ij(5, 2) == ij(13, 4) &&
              FoldedIndex(10) + FoldedIndex(10) == ij(16, 4));
