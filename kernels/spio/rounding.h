// Values and axes in larger blocks, rounded down or up, and what is left of values.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. Of an
// index type T, such as fold<K, 8>, base_of<T> is the dimension that it counts, stride_of<T> the
// size of its steps and bound_of<T> the number below which it stays (0: none).
#pragma once

#include "spio/axis.h"

namespace spio {

// The value in blocks of Size base units, rounded down.
//     refold<16>(K(40)) is fold<K, 16>(2)
template <int Size, index T>
    requires(Size > 0)
constexpr auto refold(T x) {
    constexpr int unit = gcd(stride_of<T>, Size);
    return fold<base_of<T>, Size>(
        floor_divide<Size / unit, /*NonNegative=*/(bound_of<T> > 0)>(count<unit>(x)));
}
template <int ToAPositiveSize, class OnlyADimension>
    requires(ToAPositiveSize <= 0 || !index<OnlyADimension>)
void refold(OnlyADimension) = delete;

// The number of blocks of Size base units that hold the value: rounded up.
//     refold_up<16>(K(40)) is fold<K, 16>(3)
template <int Size, index T>
    requires(Size > 0)
constexpr auto refold_up(T x) {
    return fold<base_of<T>, Size>(-refold<Size>(-x).value);
}
template <int ToAPositiveSize, class OnlyADimension>
    requires(ToAPositiveSize <= 0 || !index<OnlyADimension>)
void refold_up(OnlyADimension) = delete;

// The value modulo Size, in [0, Size). No other operation on a single value wraps.
//     modulo<4>(fold<K, 16>(10)) is bounded<fold<K, 16>, 4>(2)
template <int Size, index T>
    requires(Size > 0)
constexpr auto modulo(T x) {
    return bounded<dimension_of<T>, Size>(
        floor_modulo<Size, /*NonNegative=*/(bound_of<T> > 0)>(x.value));
}
template <int ToAPositiveSize, class OnlyADimension>
    requires(ToAPositiveSize <= 0 || !index<OnlyADimension>)
void modulo(OnlyADimension) = delete;

// The axis in blocks of n, rounded up where n does not divide it.
//     fold_up(axis<K>(30), 8) has 4 blocks
template <index Dimension, integer N>
consteval axis<Dimension> fold_up(axis<Dimension> a, N blocks) {
    int const n = int_from<Dimension>(blocks);
    if (n > 0 && !a.is_dynamic) a.size = divup(a.size, n) * n;
    return a / n;
}

} // namespace spio
