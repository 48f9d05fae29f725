// Folds: dimensions counted in blocks, and values that are known to stay below a bound.
// SPDX-License-Identifier: Apache-2.0
//
// An index is a value of one dimension or of a fold of it. A base is a dimension that is no fold: K
// of fold<K, 8>, which counts K in blocks of 8. stride_of<T> is the size of the blocks that T
// counts, and bound_of<T> the number below which its values stay (0: none). A function that is
// deleted is an error message: the names of its template parameters say what is wrong. A refusal<D>
// in a function makes a call of it no constant expression, so that compilers name that function;
// checks_at_run_time is true in checked builds alone.
#pragma once

#include "spio/dim.h"

namespace spio {

// The type behind fold<Base, Stride>. Conversion to the base is exact and therefore implicit;
// conversion to a coarser fold rounds down and is explicit.
//     K k = fold<K, 8>(3);       // K(24)
//     fold<K, 8>(K(13))          // fold<K, 8>(1)
template <class Base, int Stride> struct folded : dim {
    constexpr folded() = default;
    template <integer T> constexpr explicit folded(T n) : dim(n) {}
    template <same_base<folded> From>
    constexpr explicit(stride_of<From> % Stride != 0) folded(From x) {
        constexpr int unit = gcd(stride_of<From>, Stride);
        value = floor_divide<Stride / unit, /*NonNegative=*/(bound_of<From> > 0)>(count<unit>(x));
    }
    constexpr operator Base() const { return Base(value * Stride); }
};

template <class Base, int Stride> struct index_traits<folded<Base, Stride>> {
    using base = Base;
    static int const stride = Stride;
    static int const size = 0;
};

// An error message: compilers name this function where its rule is broken.
template <class Dimension, int Size>
constexpr void a_bounded_value_is_from_0_to_below_its_size(int value) {
    [[maybe_unused]] refusal<Dimension> const numbers{value, Size};
}

// A value of Dimension that the program promises to be in [0, Size). Arithmetic does not wrap: a
// sum of two is unbounded. Digits of a linear index have this type, so that addresses made of them
// need no correction for signs and no carry.
template <class Dimension, int Size> struct bounded : dim {
    constexpr bounded() = default;
    template <integer T> constexpr explicit bounded(T n) : dim(n) {
        if (!(0 <= value && value < Size) &&
            (checks_at_run_time || __builtin_is_constant_evaluated())) {
            a_bounded_value_is_from_0_to_below_its_size<Dimension, Size>(value);
        }
    }
    constexpr operator Dimension() const { return Dimension(value); }
    constexpr operator base_of<Dimension>() const
        requires(stride_of<Dimension> > 1)
    {
        return base_of<Dimension>(value * stride_of<Dimension>);
    }
    static constexpr int size() { return Size; }
};

template <class Dimension, int Size>
struct index_traits<bounded<Dimension, Size>> : index_traits<Dimension> {
    static int const size = Size;
};

// The value in base units.
//     unfold(fold<K, 8>(3)) == K(24)
template <index T> constexpr auto unfold(T x) { return base_of<T>(count<1>(x)); }

template <class T>
concept base_dimension = index<T> && same<base_of<T>, T>;

// The same value of another dimension; stride and bound stay.
//     cast<J>(fold<I, 8>(2)) is fold<J, 8>(2)
template <base_dimension To, index T> constexpr auto cast(T x) {
    using dimension = fold<To, stride_of<T>>;
    if constexpr (bound_of<T> > 0) {
        return bounded<dimension, bound_of<T>>(x.value);
    } else {
        return dimension(x.value);
    }
}
template <class ToABaseDimension, class OnlyADimension>
    requires(!base_dimension<ToABaseDimension> || !index<OnlyADimension>)
void cast(OnlyADimension) = delete;

// cast<To> for a value of base From, any other value unchanged.
template <base_dimension From, base_dimension To, index T> constexpr auto rename(T x) {
    if constexpr (same<base_of<T>, From>) {
        return cast<To>(x);
    } else {
        return x;
    }
}
template <class From, class To, class T> using renamed = decltype(rename<From, To>(T()));

// LANE: the number of a lane in its warp. OFFSET: the single number that a compound index stands
// for.
struct LANE : dim {
    using dim::dim;
};
struct OFFSET : dim {
    using dim::dim;
};

} // namespace spio
