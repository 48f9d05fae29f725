// Ranges: successive values of one dimension.
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
struct K : spio::dim {
    using dim::dim;
};
using spio::bounded;
using spio::fold;
using spio::range;
using spio::range_with_step;
using spio::reverse_range;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

// Whether a range consists of these numbers, all of type T.
template <class T, class Range, int N>
constexpr bool equals(Range values, int const (&expected)[N]) {
    int n = 0;
    for (auto x : values) {
        static_assert(same<decltype(x), T>);
        if (n == N || x.get() != expected[n]) return false;
        ++n;
    }
    return n == N;
}
// How many values a range has.
template <class Range> constexpr int length(Range values) {
    int n = 0;
    for (auto x : values) n += x.get() == x.get();
    return n;
}
// Compares every range with the plain loop that it stands for.
template <class T, int Step> constexpr bool equals_the_loop() {
    for (int start = -9; start < 9; ++start) {
        for (int end = -9; end < 9; ++end) {
            int expected = start;
            for (auto x : range_with_step<Step>(T(start), T(end))) {
                if (expected >= end || x.get() != expected) return false;
                expected += Step;
            }
            if (expected < end) return false;
            if constexpr (Step == 1) {
                expected = start;
                for (auto x : range(T(start), T(end))) {
                    if (expected >= end || x.get() != expected++) return false;
                }
                if (expected < end) return false;
                expected = end;
                for (auto x : reverse_range(T(start), T(end))) {
                    if (expected <= start || x.get() != --expected) return false;
                }
                if (expected > start) return false;
            }
        }
    }
    return true;
}
static_assert(equals_the_loop<I, 1>() && equals_the_loop<I, 2>() && equals_the_loop<I, 3>());
static_assert(equals_the_loop<fold<I, 8>, 1>() && equals_the_loop<fold<I, 8>, 5>());

// range() has all values below the end, here of a fold. (range.step_1)
static_assert(equals<fold<I, 16>>(range(fold<I, 16>(8)), {0, 1, 2, 3, 4, 5, 6, 7}));

// range_with_step<2>() has every second value. (range.step_2)
static_assert(equals<I>(range_with_step<2>(I(8)), {0, 2, 4, 6}));

// range_with_step<2>() ends before an odd end. (range.step_2_odd_end)
static_assert(equals<I>(range_with_step<2>(I(9)), {0, 2, 4, 6, 8}));
static_assert(equals<I>(range_with_step<4>(I(10)), {0, 4, 8}));

// range() may begin at a start. (range.start_1)
static_assert(equals<I>(range(I(1), I(8)), {1, 2, 3, 4, 5, 6, 7}));

// range_with_step<2>() may begin at a start. (range.start_1_step_2)
static_assert(equals<I>(range_with_step<2>(I(1), I(8)), {1, 3, 5, 7}));
static_assert(equals<I>(range_with_step<3>(I(2), I(10)), {2, 5, 8}));

// reverse_range() goes from the last value down to 0. (reverse_range.step_1)
static_assert(equals<I>(reverse_range(I(8)), {7, 6, 5, 4, 3, 2, 1, 0}));

// The end may be a size that was folded, rounded down or up. (range.fold_dim_range, and the form
// that rounds up)
static_assert(length(range(spio::refold<16>(I(33)))) == 2);
static_assert(length(range(fold<I, 16>(spio::divup(33, 16)))) == 3);

// range() has all values of a dimension below the end. (I.range)
static_assert(equals<I>(range(I(7)), {0, 1, 2, 3, 4, 5, 6}));

// An end before the start is an empty range.
static_assert(length(range(I(0))) == 0 && length(range(I(-5))) == 0 &&
              length(range(I(5), I(2))) == 0);
static_assert(length(reverse_range(I(0))) == 0 && length(reverse_range(I(-5))) == 0);
static_assert(length(range_with_step<8>(I(-1))) == 0);

// The values have the type of the end, including its bound.
static_assert(equals<bounded<K, 4>>(range(bounded<K, 4>(3)), {0, 1, 2}));
