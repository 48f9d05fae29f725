// The minimum and the maximum of two values or places, and what containers need to know of places.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. axis<K>(32) is the
// dimension K with 32 values. refold_up<n>(x) counts x in blocks of n, rounded up.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
using spio::bounded;
using spio::fold;
using spio::max;
using spio::min;
using F8 = fold<I, 8>;
using F16 = fold<I, 16>;
using Module = bounded<F16, 4>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}

// min() and max() of values of one type. (min_max.same_type)
static_assert(equals<I>(min(I(5), I(10)), 5) && equals<I>(min(I(10), I(5)), 5));
static_assert(equals<I>(max(I(5), I(10)), 10) && equals<I>(max(I(10), I(5)), 10));

// min() and max() of folds of one stride. (min_max.fold_same_stride)
static_assert(equals<F8>(min(F8(5), F8(10)), 5) && equals<F8>(max(F8(5), F8(10)), 10));

// min() and max() of values of one bound. (min_max.module_same_type)
static_assert(equals<Module>(min(Module(1), Module(3)), 1) &&
              equals<Module>(max(Module(1), Module(3)), 3));

// min() and max() of folds of different strides have the finer one. (min_max.fold_different_stride)
static_assert(equals<F8>(min(F8(8), F16(5)), 8) && equals<F8>(max(F8(8), F16(5)), 10));

// min() and max() of a fold and a value of its base count ones. (min_max.dim_and_fold)
static_assert(equals<I>(min(F8(8), I(50)), 50) && equals<I>(max(F8(8), I(50)), 64));
static_assert(equals<I>(min(I(50), F8(8)), 50) && equals<I>(max(I(50), F8(8)), 64));

// min() and max() of a bounded value and one of its base count ones. (min_max.module_and_dim)
static_assert(equals<I>(min(Module(2), I(50)), 32) && equals<I>(max(Module(2), I(50)), 50));
static_assert(equals<I>(min(I(50), Module(2)), 32) && equals<I>(max(I(50), Module(2)), 50));

// min() and max() of a bounded value and a fold have the finer stride. (min_max.module_and_fold)
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

// Places take the lesser and the greater value in each dimension; one that only one has passes.
static_assert(min(I(3) + J(5), I(4) + J(2)) == I(3) + J(2));
static_assert(max(I(3) + J(5), I(4) + J(2)) == I(4) + J(5));
static_assert(min(I(9), F8(1) + J(2)) == I(8) + J(2));
template <class A, class B>
concept has_min = requires(A a, B b) { min(a, b); };
static_assert(has_min<spio::coords<I, J>, I> && !has_min<spio::coords<I>, spio::coords<J>> &&
              !has_min<spio::coords<I>, int>);

// Division and remainder round down in each dimension.
static_assert((I(9) + J(-5)) / 2 == I(4) + J(-3));
static_assert((I(9) + J(-5)) % (I(4) + J(4)) == I(1) + J(3));
static_assert((I(9) + J(-5)) % I(4) == I(1) + J(-5));
static_assert((spio::make_coordinates(F8(1), I(3)) / 2) == I(5) + J(0));

// Rounding up: the least number of blocks that hold the value.
constexpr bool rounds_up() {
    for (int n = -50; n <= 50; ++n) {
        auto const blocks = spio::refold_up<8>(I(n));
        if (!same<F8, spio::dimension_of<decltype(spio::refold_up<8>(I(n)))>>) return false;
        if (blocks < I(n) || F8(blocks.get() - 1) >= I(n)) return false;
        if (spio::refold_up<8>(fold<I, 12>(n)) != spio::refold_up<8>(I(12 * n))) return false;
    }
    return true;
}
static_assert(rounds_up());

// Two variables of one type with several bases have no `<` that is a bool: nothing can be sorted by
// a partial order. `<` still works as a condition, and gives a bool in a comparison with a new
// value.
template <class A, class B>
concept has_bool = requires(A a, B b, void (*take)(bool)) { take(a < b); };
using Point = spio::coords<I, J>;
static_assert(!has_bool<Point&, Point&> && !has_bool<Point const&, Point const&>);
static_assert(has_bool<I&, I&> && has_bool<spio::coords<I>&, spio::coords<I>&> &&
              has_bool<Point&, I&> && requires(Point a, void (*take)(bool)) { take(a < Point()); });
constexpr Point near(I(1), J(1));
constexpr Point far(I(2), J(3));
static_assert(near < far && !(far < near) && bool(far > near) && (near <= far) == true);

// The order of a dictionary is total, and equal places have one hash.
constexpr bool is_total() {
    spio::lexicographic const first;
    for (int n = 0; n < 81; ++n) {
        Point const a(I(n / 27), J(n / 9 % 3));
        Point const b(I(n / 3 % 3), J(n % 3));
        if (first(a, b) + first(b, a) + (a == b) != 1) return false;
        if (first(a, b) != (n / 9 < n % 9)) return false;
    }
    auto const apart = spio::make_coordinates(F8(1), I(3));
    auto const added = spio::make_coordinates(F8(0), I(11));
    return spio::place_hash()(apart) == spio::place_hash()(added) &&
           spio::place_hash()(apart) == spio::place_hash()(I(11)) && !first(apart, added);
}
static_assert(is_total());

// A user-defined place.
struct corner : spio::place_arithmetic {
    constexpr auto coordinates() const { return I(3) + J(4); }
};
static_assert(corner() + I(1) == I(4) + J(4) && corner() - corner() == I(0) + J(0));
static_assert(corner() < I(4) && corner() / 2 == I(1) + J(2) && min(corner(), I(1)) == I(1) + J(4));
static_assert(spio::tensor<char, spio::axis<I>(8), spio::axis<J>(8)>()[corner()].offset() == 28);
