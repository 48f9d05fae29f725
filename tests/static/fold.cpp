// Folds: dimensions counted in blocks, which unfold implicitly and fold explicitly.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions.
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
using F8 = fold<I, 8>;
using F16 = fold<I, 16>;
using F32 = fold<I, 32>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}
template <class A, class B> constexpr bool six_comparisons_agree(A a, B b) {
    int const x = a.get() * spio::stride_of<A>;
    int const y = b.get() * spio::stride_of<B>;
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
// Whether a value becomes one of another type implicitly.
template <class From, class To>
concept becomes = requires(From x, void (*f)(To)) { f(x); };

// Folds unfold, fold anew, compare, add and scale. (Fold.methods)
static_assert(F8(32).get() == 32);
static_assert(equals<I>(spio::unfold(F8(32)), 8 * 32));
static_assert(equals<F16>(spio::refold<16>(F8(32)), 16) &&
              equals<F8>(spio::refold<8>(F16(16)), 32));
static_assert(F16(F8(16)) == F8(16));
static_assert(for_all(-9, 9, [](int a, int b) { return six_comparisons_agree(F8(a), F8(b)); }));
static_assert(equals<F8>(F8(32) + F8(16), 48) && equals<F8>(F8(32) - F8(16), 16));
static_assert(equals<F8>(-F8(3), -3) && equals<F8>(F8(3) * 4, 12) && equals<F8>(4 * F8(3), 12));

// The sum of two folds of one base has the finer stride. (Fold.mixed_stride_addition)
static_assert(equals<F8>(F8(8) + F16(4), 16) && equals<F8>(F16(4) + F8(8), 16));

// The sum of a fold and its base counts ones. (Fold.dim_addition)
static_assert(equals<I>(F8(8) + I(32), 96) && equals<I>(I(32) + F8(8), 96));

// The difference of two folds of one base has the finer stride. (Fold.mixed_stride_subtraction)
static_assert(equals<F8>(F8(16) - F16(4), 8) && equals<F8>(F16(4) - F8(8), 0));

// The difference of a fold and its base counts ones. (Fold.dim_subtraction)
static_assert(equals<I>(F8(8) - I(32), 32) && equals<I>(I(96) - F8(8), 32));

// Folds of different strides compare by their ones. (Fold.mix_stride_comparison)
static_assert(for_all(-9, 9, [](int a, int b) {
    return six_comparisons_agree(F8(a), F16(b)) && six_comparisons_agree(F16(a), F8(b));
}));

// A fold compares with its base in ones. (Fold.dim_mixed_stride_comparison)
static_assert(for_all(-33, 33, [](int a, int b) {
    return six_comparisons_agree(F8(a), I(b)) && six_comparisons_agree(I(a), F8(b));
}));

// cast() changes the base, and keeps the stride. (Fold.cast)
static_assert(equals<fold<J, 32>>(spio::cast<J>(F32(8)), 8));

// A fold is made of a value of its base, explicitly. (Fold.dim_copy_constructor)
static_assert(F32(I(256)) == F32(8));

// The stride is part of the type; a fold is unbounded. (Fold.step, stride)
static_assert(spio::stride_of<F32> == 32 && spio::stride_of<F8> == 8 && spio::bound_of<F8> == 0);

// The base of a fold is the dimension that it counts in blocks. (Fold.data_type, dim_type)
static_assert(equals<I>(spio::base_of<F32>(8), 8));
static_assert(same<spio::base_of<F8>, I> && same<spio::base_of<F8>, spio::base_of<F16>>);
static_assert(same<spio::dimension_of<F8>, F8>);

// Folds of folds are folds of the base. (I_Fold.methods)
static_assert(spio::unfold(fold<I, 64>(7)) == I(448) &&
              spio::refold<32>(fold<I, 64>(7)) == F32(14));
static_assert(same<fold<fold<I, 64>, 2>, fold<I, 128>> && spio::unfold(fold<F8, 4>(7)) == I(224));
static_assert(equals<fold<J, 64>>(spio::cast<J>(fold<I, 64>(7)), 7));
static_assert(same<fold<I, 1>, I>);

// Sums and differences may be negative. (cross_type.negative_values)
static_assert(equals<I>(F8(2) - I(20), -4) && equals<I>(I(10) - F8(2), -6) &&
              equals<I>(F8(-1) + I(16), 8));

// refold() to a coarser stride rounds down. (TestStaticFold.test_fold_refold_to_new_stride)
static_assert(equals<F16>(spio::refold<16>(F8(9)), 4));

// Dividing a fold gives a fold of the product of the strides.
// (TestStaticFold.test_fold_divide_operator, test_fold_divide_chained)
static_assert(same<fold<F8, 2>, F16> && same<fold<fold<I, 8>, 2>, fold<I, 16>>);

// A fold knows its stride and its base. (TestStaticFold.test_dim_fold_method,
// TestStaticDim.test_dim_divide_creates_fold)
static_assert(spio::stride_of<fold<I, 24>> == 24 && same<spio::base_of<fold<I, 24>>, I>);

// Folds of one base and stride are one type, however they are written.
// (TestStaticDim.test_dim_divide_is_cached,
// TestFoldAliases.test_same_stride_different_names_in_generators)
using OneName = fold<I, 8>;
using OtherName = fold<fold<I, 2>, 4>;
static_assert(same<OneName, OtherName>);

// Folds of other strides or other bases are other types.
// (TestFoldAliases.test_multiple_different_strides_same_dim)
static_assert(!same<fold<I, 2>, fold<I, 4>> && !same<fold<I, 8>, fold<J, 8>>);

// The stride may be a template parameter. (TestFoldAliases.test_alias_with_parametric_stride)
template <int Stride> using blocks = fold<I, Stride>;
static_assert(same<blocks<4>, fold<I, 4>>);

// The sum of two folds of one dimension is a fold by the greatest stride that divides both strides.
// Neither stride need divide the other.
static_assert(equals<fold<I, 2>>(fold<I, 6>(1) + fold<I, 4>(1), 5));
static_assert(equals<fold<I, 2>>(fold<I, 6>(1) - fold<I, 4>(2), -1));
static_assert(fold<I, 6>(2) == fold<I, 4>(3) && fold<I, 6>(1) > fold<I, 4>(1));
static_assert(for_all(-20, 20, [](int a, int b) {
    return six_comparisons_agree(fold<I, 6>(a), fold<I, 4>(b));
}));

// Folding rounds down, from any stride to any stride.
template <class From, class To> constexpr bool folding_floors() {
    constexpr int source_stride = spio::stride_of<From>;
    constexpr int target_stride = spio::stride_of<To>;
    for (int n = -100; n < 100; ++n) {
        int const units = n * source_stride;
        int floor = units / target_stride;
        if (floor * target_stride > units) --floor;
        if (To(From(n)).get() != floor || spio::refold<target_stride>(From(n)).get() != floor)
            return false;
    }
    return true;
}
static_assert(folding_floors<I, F8>() && folding_floors<I, fold<I, 6>>() &&
              folding_floors<F8, F16>());
static_assert(folding_floors<F16, F8>() && folding_floors<fold<I, 6>, fold<I, 4>>());
static_assert(folding_floors<fold<I, 4>, fold<I, 6>>() &&
              folding_floors<fold<I, 12>, fold<I, 5>>());

// Exact conversions are implicit; conversions that round are explicit.
static_assert(becomes<F8, I> && becomes<F16, F8> && !becomes<F8, F16> && !becomes<I, F8>);
static_assert(!becomes<fold<I, 6>, fold<I, 4>> && !becomes<F8, J> && !becomes<int, F8>);
