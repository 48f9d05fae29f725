// Bounded values: values that stay below a number known to the type; sums of two are unbounded.
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
using spio::bounded;
using spio::fold;
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
// Whether a value becomes one of another type implicitly.
template <class From, class To>
concept becomes = requires(From x, void (*f)(To)) { f(x); };

// modulo() gives a value that is below its bound by its type, and folds like any other.
// (Module.methods)
static_assert(equals<Module>(spio::modulo<4>(F16(10)), 2) &&
              equals<Module>(spio::modulo<4>(F16(50)), 2));
static_assert(equals<fold<I, 2>>(spio::refold<2>(spio::modulo<4>(F16(10))), 10 % 4 * 16 / 2));

// The size of a bounded value is its bound; stride and base are those of its dimension.
// (Module.properties)
static_assert(Module::size() == 4 && spio::bound_of<Module> == 4 && spio::stride_of<Module> == 16);
static_assert(same<spio::base_of<Module>, I> && same<spio::dimension_of<Module>, F16>);

// unfold() gives the value in ones of the base. (Module.unfold)
static_assert(equals<I>(spio::unfold(Module(2)), 32) && equals<I>(spio::unfold(Module(0)), 0));
static_assert(equals<I>(spio::unfold(Module(3)), 48));

// cast() changes the base, and keeps stride and bound. (Module.cast)
static_assert(equals<bounded<fold<J, 16>, 4>>(spio::cast<J>(Module(3)), 3));
static_assert(spio::cast<J>(Module(3)) == bounded<fold<J, 16>, 4>(3));

// A dimension becomes bounded by folding it and then taking the remainder.
// (Module.construct_from_dim)
static_assert(equals<Module>(spio::modulo<4>(spio::refold<16>(I(32))), 2));
static_assert(equals<Module>(spio::modulo<4>(spio::refold<16>(I(64))), 0));
static_assert(equals<Module>(spio::modulo<4>(spio::refold<16>(I(80))), 1));

// Sums, differences, negations and products are unbounded. (Module.arithmetic)
static_assert(equals<F16>(Module(1) + Module(2), 3) && equals<F16>(Module(3) - Module(1), 2));
static_assert(equals<F16>(Module(1) - Module(2), -1) && equals<F16>(Module(3) + Module(2), 5));
static_assert(equals<F16>(Module(3) * 3, 9) && equals<F16>(-Module(3), -3));

// Bounded values compare by all six operators. (Module.comparison)
static_assert(Module(1) < Module(2) && Module(2) > Module(1) && Module(1) <= Module(1));
static_assert(Module(1) >= Module(1) && Module(1) == Module(1) && Module(1) != Module(2));
static_assert(!(Module(2) < Module(1)) && !(Module(1) == Module(2)));

// The sum with a value of the base is a value of the base. (Module.dim_addition)
static_assert(equals<I>(Module(2) + I(8), 40) && equals<I>(I(8) + Module(2), 40));

// The difference from a value of the base is a value of the base. (Module.dim_subtraction)
static_assert(equals<I>(Module(2) - I(8), 24) && equals<I>(I(40) - Module(2), 8));

// The sum with a fold of a finer stride has that stride. (Module.fold_addition)
static_assert(equals<F8>(Module(2) + F8(2), 6) && equals<F8>(F8(2) + Module(2), 6));

// The difference from a fold of a finer stride has that stride. (Module.fold_subtraction)
static_assert(equals<F8>(Module(2) - F8(2), 2) && equals<F8>(F8(6) - Module(2), 2));

// Bounded values compare with the base in its ones. (Module.dim_comparison)
static_assert(Module(2) == I(32) && Module(2) < I(33) && Module(2) > I(31));
static_assert(Module(2) <= I(32) && Module(2) >= I(32) && Module(2) != I(33));

// They compare with folds of other strides. (Module.fold_comparison)
static_assert(Module(2) == F8(4) && Module(2) < F8(5) && Module(2) > F8(3));
static_assert(Module(2) <= F8(4) && Module(2) >= F8(4) && Module(2) != F8(5));

// The remainder of a dimension is bounded, and counts ones. (Dim.module_method)
static_assert(equals<bounded<I, 4>>(spio::modulo<4>(I(10)), 2) &&
              spio::stride_of<bounded<I, 4>> == 1);
static_assert(spio::modulo<4>(I(0)) == I(0) && spio::modulo<4>(I(3)) == I(3));
static_assert(spio::modulo<4>(I(4)) == I(0) && spio::modulo<4>(I(7)) == I(3));
static_assert(equals<bounded<I, 8>>(spio::modulo<8>(I(100)), 100 % 8));

// The remainder of a fold is bounded, and counts its blocks. (Fold.module_method)
static_assert(equals<bounded<F8, 4>>(spio::modulo<4>(F8(10)), 2));
static_assert(equals<I>(spio::unfold(spio::modulo<4>(F8(10))), 16));
static_assert(spio::modulo<4>(F8(0)) == F8(0) && spio::modulo<4>(F8(3)) == F8(3));
static_assert(spio::modulo<4>(F8(4)) == F8(0) && spio::modulo<4>(F8(7)) == F8(3));

// A remainder has the stride of its fold. (Fold.module_preserves_stride)
static_assert(spio::stride_of<decltype(spio::modulo<4>(F16(5)))> == 16);
static_assert(spio::unfold(spio::modulo<4>(F16(5))) == I(16));
static_assert(spio::unfold(spio::modulo<4>(fold<I, 32>(7))) == I(96));

// Differences of bounded values and others may be negative. (cross_type.module_negative)
static_assert(equals<I>(Module(1) - I(20), -4) && equals<I>(I(10) - Module(1), -6));

// The sum of bounded values of two bases is a pair of them, as coordinates.
// (Dim.mixed_dimensions_with_module)
static_assert((bounded<I, 4>(3) + bounded<J, 8>(7)).get<J>() == J(7));
static_assert(equals<bounded<I, 4>>((bounded<I, 4>(3) + bounded<J, 8>(7)).get<I>(), 3));
static_assert((I(9) + bounded<J, 8>(7)).get<I>() == I(9));
static_assert((bounded<J, 8>(7) + I(9)).get<J>() == J(7));

// So is that of a bounded value and a fold. (Dim.mixed_dimensions_fold_and_module)
static_assert(equals<fold<J, 8>>((Module(2) + fold<J, 8>(3)).get<fold<J, 8>>(), 3));
static_assert(equals<Module>((fold<J, 8>(3) + Module(2)).get<F16>(), 2));

// The remainder is never negative and below its bound (law 2 of docs/algebra.md).
template <class T, int Size> constexpr bool modulo_is_euclidean() {
    for (int n = -50; n < 50; ++n) {
        int const rest = spio::modulo<Size>(T(n)).get();
        if (rest < 0 || rest >= Size || (n - rest) % Size != 0) return false;
    }
    return true;
}
static_assert(modulo_is_euclidean<I, 1>() && modulo_is_euclidean<I, 4>() &&
              modulo_is_euclidean<I, 7>());
static_assert(modulo_is_euclidean<F8, 4>() && modulo_is_euclidean<F8, 3>());

// A bounded value converts to its dimension implicitly; the reverse is explicit.
static_assert(becomes<Module, F16> && becomes<Module, I> && becomes<bounded<I, 4>, I>);
static_assert(!becomes<F16, Module> && !becomes<int, Module> && !becomes<Module, bounded<F16, 8>>);
static_assert(F8(Module(3)) == F8(6) && fold<I, 32>(Module(3)) == fold<I, 32>(1));
