// The minimum and the maximum of two values of one base, of any strides.
// SPDX-License-Identifier: Apache-2.0
//
// Names in parentheses are rows of tests/house/conformance.txt.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
using spio::bounded;
using spio::fold;
using spio::max;
using spio::min;
using F8 = fold<I, 8>;
using F16 = fold<I, 16>;
using Module = bounded<F16, 4>;

template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}

// Values of one type. (min_max.same_type)
static_assert(equals<I>(min(I(5), I(10)), 5) && equals<I>(min(I(10), I(5)), 5));
static_assert(equals<I>(max(I(5), I(10)), 10) && equals<I>(max(I(10), I(5)), 10));

// Folds of one stride. (min_max.fold_same_stride)
static_assert(equals<F8>(min(F8(5), F8(10)), 5) && equals<F8>(max(F8(5), F8(10)), 10));

// Values of one bound. (min_max.module_same_type)
static_assert(equals<Module>(min(Module(1), Module(3)), 1) &&
              equals<Module>(max(Module(1), Module(3)), 3));

// Folds of different strides: the result has the finer one. (min_max.fold_different_stride)
static_assert(equals<F8>(min(F8(8), F16(5)), 8) && equals<F8>(max(F8(8), F16(5)), 10));

// A fold and its base: the result counts ones. (min_max.dim_and_fold)
static_assert(equals<I>(min(F8(8), I(50)), 50) && equals<I>(max(F8(8), I(50)), 64));
static_assert(equals<I>(min(I(50), F8(8)), 50) && equals<I>(max(I(50), F8(8)), 64));

// A bounded value and its base. (min_max.module_and_dim)
static_assert(equals<I>(min(Module(2), I(50)), 32) && equals<I>(max(Module(2), I(50)), 50));
static_assert(equals<I>(min(I(50), Module(2)), 32) && equals<I>(max(I(50), Module(2)), 50));

// A bounded value and a fold. (min_max.module_and_fold)
static_assert(equals<F8>(min(Module(2), F8(5)), 4) && equals<F8>(max(Module(2), F8(5)), 5));

template <class A, class B> constexpr bool is_a_bound() {
    for (int a = -20; a < 20; ++a) {
        for (int b = -20; b < 20; ++b) {
            auto const low = min(A(a), B(b));
            auto const high = max(A(a), B(b));
            if (low > A(a) || low > B(b) || (low != A(a) && low != B(b))) return false;
            if (high < A(a) || high < B(b) || (high != A(a) && high != B(b))) return false;
        }
    }
    return true;
}
static_assert(is_a_bound<I, I>() && is_a_bound<F8, I>() && is_a_bound<F8, F16>());
static_assert(is_a_bound<fold<I, 6>, fold<I, 4>>());
