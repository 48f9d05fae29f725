// Digits of a sum of indices, with only the carries that the types of its terms allow.
// SPDX-License-Identifier: Apache-2.0
//
// A position is a sum of terms: values of a dimension or of folds of it, such as I(3) + fold<I,
// 8>(2). The stride of a term is the size of the blocks that it counts, its bound the number below
// which it stays. numbers<A...> is a list of ints. Of an index type T, such as fold<K, 8>,
// base_of<T> is the dimension that it counts, stride_of<T> the size of its steps and bound_of<T>
// the number below which it stays (0: none). room_for(n) is n, rounded up, so that fewer types
// differ.
#pragma once

#include "spio/coords.h"

namespace spio {

// What a term of a position contributes to the digit  floor(position / stride) mod period.  none:
// the term is a multiple of the period. multiple: it is a multiple of the stride. fraction: it is
// neither; fractions are summed and then divided.
enum class contribution { none, multiple, fraction };

// How to compute one digit of the sum of N terms, planned from their types.
template <int N> struct carry_plan {
    int multiples[N + 1] = {}; // factor of each term in the digit
    int fractions[N + 1] = {}; // factor of each term in the sum that is divided by the divisor
    int divisor = 1;           // 1: there are no fractions
    bool has_non_negative_fractions = true;
    bool is_carry_free = true; // the sum of the fractions stays below the divisor
    bool is_non_negative = true;
    bool is_reduced = true; // the digit stays below its size without a remainder

    // For each term: whether it is of the digit's base dimension, its stride, and its bound (0:
    // none). A period of 0 stands for a digit that is never reduced.
    constexpr carry_plan(bool const (&is_of_base)[N + 1], int const (&strides)[N + 1],
                         int const (&bounds)[N + 1], int stride, long long period) {
        auto const contribution_of = [&](int i) {
            if (!is_of_base[i] || (period > 0 && strides[i] % period == 0))
                return contribution::none;
            return strides[i] % stride == 0 ? contribution::multiple : contribution::fraction;
        };
        int unit = stride;
        for (int i = 0; i < N; ++i) {
            if (contribution_of(i) == contribution::fraction) unit = gcd(unit, strides[i]);
        }
        divisor = stride / unit;
        long long most = 0;
        long long most_fractions = 0;
        for (int i = 0; i < N; ++i) {
            if (contribution_of(i) == contribution::multiple) {
                multiples[i] = strides[i] / stride;
                most += (bounds[i] - 1LL) * multiples[i];
                is_non_negative &= bounds[i] > 0;
            } else if (contribution_of(i) == contribution::fraction) {
                fractions[i] = strides[i] / unit;
                most_fractions += (bounds[i] - 1LL) * fractions[i];
                has_non_negative_fractions &= bounds[i] > 0;
            }
        }
        is_carry_free = has_non_negative_fractions && most_fractions < divisor;
        is_non_negative &= has_non_negative_fractions;
        most += most_fractions / divisor;
        is_reduced = period == 0 || (is_non_negative && most < period / stride);
    }
};

// The plan for the terms Ts of a position and, if IsStepped, a number of steps in Base: a last term
// whose stride is 1 and that has no bound.
template <class Base, int Stride, long long Period, bool IsStepped, class... Ts>
inline constexpr carry_plan<room_for(sizeof...(Ts) + 1)>
    plan_of({same<base_of<Ts>, Base>..., IsStepped}, {stride_of<Ts>..., 1}, {bound_of<Ts>..., 0},
            Stride, Period);

// Forces a constant, so that nothing of a plan remains at run time.
template <int N> inline constexpr int constant = N;

// floor((the sum of the terms of Base + step) / Stride), modulo Period / Stride if there is a
// Period.
template <class Base, int Stride, long long Period, bool IsStepped, class... Ts, int... N>
constexpr int digit_of(numbers<N...>, int const* values, int step) {
    constexpr auto const& plan = plan_of<Base, Stride, Period, IsStepped, Ts...>;
    constexpr int last = sizeof...(Ts);
    int value = (0 + ... + (values[N] * constant<plan.multiples[N]>)) +
                step * constant<plan.multiples[last]>;
    if constexpr (!plan.is_carry_free) {
        int const fractions = (0 + ... + (values[N] * constant<plan.fractions[N]>)) +
                              step * constant<plan.fractions[last]>;
        value += floor_divide<plan.divisor, plan.has_non_negative_fractions>(fractions);
    }
    if constexpr (plan.is_reduced) {
        return value;
    } else {
        return floor_modulo<static_cast<int>(Period / Stride), plan.is_non_negative>(value);
    }
}

} // namespace spio
