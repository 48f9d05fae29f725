// Dimensions: integers that add, compare and divide only with their own kind.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. refold<n>(x) counts x
// in blocks of n, rounded down.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
using spio::fold;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}
// Whether a and b compare as the ints x and y do.
template <class A, class B> constexpr bool six_comparisons_agree(A a, B b, int x, int y) {
    return (a < b) == (x < y) && (a <= b) == (x <= y) && (a > b) == (x > y) &&
           (a >= b) == (x >= y) && (a == b) == (x == y) && (a != b) == (x != y);
}
// Whether law(a, b) holds for all numbers from `low` to `high` - 1.
template <class Law> constexpr bool for_all(int low, int high, Law law) {
    for (int a = low; a < high; ++a) {
        for (int b = low; b < high; ++b) {
            if (!law(a, b)) return false;
        }
    }
    return true;
}

// Values of a dimension compare, add, subtract and scale like their numbers. (Dim.subclass_methods,
// I.methods)
static_assert(I().get() == 0 && I(7).get() == 7);
static_assert(for_all(-20, 20,
                      [](int a, int b) { return six_comparisons_agree(I(a), I(b), a, b); }));
static_assert(equals<I>(I(7) + I(8), 15));
static_assert(equals<I>(I(8) - I(7), 1));
static_assert(equals<I>(I(7) - I(8), -1));
static_assert(equals<I>(I(8) + I(-1), 7));
static_assert(equals<I>(I(8) % I(3), 2));
static_assert(for_all(-20, 20, [](int a, int b) {
    return equals<I>(I(a) + I(b), a + b) && equals<I>(I(a) - I(b), a - b) && equals<I>(-I(a), -a) &&
           equals<I>(I(a) * b, a * b) && equals<I>(b * I(a), a * b);
}));

// Division rounds down, and the remainder is the rest: 0 <= a % b < b.
static_assert(for_all(-40, 40, [](int a, int b) {
    if (b <= 0) return true;
    int const quotient = (I(a) / b).get();
    int const rest = (I(a) % I(b)).get();
    return quotient * b + rest == a && 0 <= rest && rest < b;
}));

// A dimension is folded explicitly. (I.fold)
static_assert(fold<I, 8>(I(32)) == fold<I, 8>(4));
static_assert(equals<fold<I, 8>>(spio::refold<8>(I(32)), 4));
static_assert(equals<fold<I, 4>>(spio::refold<4>(I(32)), 8));

// cast() makes a value of another dimension. (I.cast)
static_assert(equals<J>(spio::cast<J>(I(8)), 8) && spio::cast<J>(I(8)) == J(8));

// unfold() of a dimension is the value itself. (Dim.unfold)
static_assert(equals<I>(spio::unfold(I(42)), 42));

// Division by a negative number floors too, and remainders are not negative.
static_assert(equals<I>(I(7) / -2, -4) && equals<I>(I(-7) / -2, 3) && equals<I>(I(8) / -2, -4));
static_assert(equals<I>(I(7) % I(-2), 1) && equals<I>(I(-7) % I(-2), 1) &&
              equals<I>(I(-8) % I(-2), 0));

// A dimension counts ones and is unbounded. (Dim.stride_property, stride)
static_assert(spio::stride_of<I> == 1 && spio::stride_of<J> == 1 &&
              spio::stride_of<spio::LANE> == 1);
static_assert(spio::bound_of<I> == 0);

// The base of a dimension is the dimension; folds share it. (dim_type)
static_assert(same<spio::base_of<I>, I> && same<spio::dimension_of<I>, I>);
static_assert(spio::same_base<I, I> && spio::same_base<I, fold<I, 8>> && !spio::same_base<I, J>);
static_assert(spio::index<I> && spio::index<spio::OFFSET>);
static_assert(!spio::index<int> && !spio::index<spio::dim>);

// Values of two dimensions add to coordinates. (Dim.mixed_dimensions_arithmetic)
static_assert((I(1) + J(2)).get<I>() == I(1) && (I(1) + J(2)).get<J>() == J(2));
static_assert((I(1) - J(2)).get<I>() == I(1) && (I(1) - J(2)).get<J>() == J(-2));
static_assert((I(1) + J(2)).num_dims() == 2);

// Folds of two bases, or a dimension and a fold, add to coordinates.
// (Dim.mixed_dimensions_with_fold)
constexpr auto two_folds = fold<I, 8>(2) + fold<J, 16>(3);
static_assert(equals<fold<I, 8>>(two_folds.get<fold<I, 8>>(), 2));
static_assert(equals<fold<J, 16>>(two_folds.get<fold<J, 16>>(), 3));
constexpr auto dim_and_fold = I(10) + fold<J, 16>(2);
static_assert(equals<I>(dim_and_fold.get<I>(), 10) && dim_and_fold.get<fold<J, 16>>() == J(32));
constexpr auto fold_and_dim = fold<I, 8>(5) + J(20);
static_assert(fold_and_dim.get<fold<I, 8>>() == I(40) && equals<J>(fold_and_dim.get<J>(), 20));

// += and -= keep the type, so the result must be of that type.
constexpr bool moves_in_place() {
    I i(5);
    i += I(3);
    i -= I(1);
    i += fold<I, 8>(2);
    if (i != I(23)) return false;
    if (++i != I(24) || i++ != I(24) || i != I(25)) return false;
    if (--i != I(24) || i-- != I(24) || i != I(23)) return false;
    fold<I, 8> f(3);
    f += fold<I, 16>(1);
    ++f;
    return f == I(48);
}
static_assert(moves_in_place());

// min() of two numbers. (mathutil.min)
static_assert(spio::min(1, 2) == 1 && spio::min(2, 1) == 1 && spio::min(3, 3) == 3);

// max() of two numbers. (mathutil.max)
static_assert(spio::max(1, 2) == 2 && spio::max(2, 1) == 2 && spio::max(3, 3) == 3);

// divup() is the quotient rounded up. (mathutil.divup, Util.divup)
static_assert(spio::divup(1, 2) == 1 && spio::divup(7, 2) == 4);
static_assert(spio::divup(8, 2) == 4 && spio::divup(9, 2) == 5);

// LANE and OFFSET are dimensions. (TestBuiltInDims.test_lane_has_correct_name,
// test_offset_has_correct_name)
static_assert(equals<spio::LANE>(spio::LANE(31), 31) && equals<spio::OFFSET>(spio::OFFSET(8), 8));

// An integer of any type becomes a dimension, but only explicitly.
static_assert(I(5u) == I(5) && I(5l) == I(5) && I(5ull) == I(5) && I(short(5)) == I(5));
static_assert(spio::integer<int> && spio::integer<unsigned long long> && !spio::integer<bool>);
static_assert(!spio::integer<char> && !spio::integer<float> && !spio::integer<I>);

// A struct that is derived from a dimension is another one, although it could be sliced to it.
struct Inner : I {
    using I::I;
};
struct Innermost : Inner {};
template <class To, class From>
concept passes = requires(void (*take)(To), From value) { take(value); };
template <class To, class From>
concept makes = requires(From value) { To(value); };
static_assert(passes<I, I> && passes<I, I const> && passes<I, I&> && passes<Inner, Inner>);
static_assert(!passes<I, Inner> && !passes<I, Innermost> && !passes<Inner, Innermost>);
static_assert(!passes<Inner, I> && !passes<spio::dim, I> && !passes<I, J>);
static_assert(!makes<I, Inner> && !makes<I, J> && !makes<spio::dim, I>);
static_assert(passes<I, fold<I, 8>> && passes<I, spio::bounded<I, 8>> && makes<fold<I, 8>, I>);
static_assert(!passes<fold<I, 8>, Inner> && !makes<fold<I, 8>, Inner>);
// A reference binds to a base class without a constructor: no class can refuse that.
static_assert(passes<I const&, Inner>);
