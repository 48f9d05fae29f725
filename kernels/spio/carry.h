// Digits of a sum of indices, with no more carrying than the types of its terms leave open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/coords.h"

namespace spio {

// What a term x of a position contributes to the digit  floor(position / stride) mod period:
// nothing (a multiple of the period), x * weight, or a part of the sum that has to be divided.
enum class share { nothing, whole, part };

// How to find one digit of the sum of N terms, planned from what their types say.
template <int N> struct carry_plan {
    int whole[N + 1] = {};
    int part[N + 1] = {};
    int divisor = 1; // of the sum of parts; 1: there are none
    bool parts_non_negative = true;
    bool parts_vanish = true; // their sum stays below the divisor
    bool non_negative = true;
    bool reduced = true; // the digit stays below its size without a remainder

    // Bases, strides and bounds of the terms; a period of 0 never reduces.
    constexpr carry_plan(bool const (&mine)[N + 1], int const (&strides)[N + 1],
                         int const (&bounds)[N + 1], int stride, long long period) {
        auto const share_of = [&](int i) {
            if (!mine[i] || (period > 0 && strides[i] % period == 0)) return share::nothing;
            return strides[i] % stride == 0 ? share::whole : share::part;
        };
        int unit = stride;
        for (int i = 0; i < N; ++i) {
            if (share_of(i) == share::part) unit = gcd(unit, strides[i]);
        }
        divisor = stride / unit;
        long long most = 0;
        long long most_parts = 0;
        for (int i = 0; i < N; ++i) {
            if (share_of(i) == share::whole) {
                whole[i] = strides[i] / stride;
                most += (bounds[i] - 1LL) * whole[i];
                non_negative &= bounds[i] > 0;
            } else if (share_of(i) == share::part) {
                part[i] = strides[i] / unit;
                most_parts += (bounds[i] - 1LL) * part[i];
                parts_non_negative &= bounds[i] > 0;
            }
        }
        parts_vanish = parts_non_negative && most_parts < divisor;
        non_negative &= parts_non_negative;
        most += most_parts / divisor;
        reduced = period == 0 || (non_negative && most < period / stride);
    }
};

// The terms Ts of a position, and after them a step of Base, if there is one.
template <class Base, int Stride, long long Period, bool IsStepped, class... Ts>
inline constexpr carry_plan<room_for(sizeof...(Ts) + 1)>
    plan_of({same<base_of<Ts>, Base>..., IsStepped}, {stride_of<Ts>..., 1}, {bound_of<Ts>..., 0},
            Stride, Period);

// A number known now, so that nothing of a plan is left at run time.
template <int N> inline constexpr int constant = N;

// floor(sum of the terms of Base / Stride), modulo Period / Stride if there is a Period.
template <class Base, int Stride, long long Period, bool IsStepped, class... Ts, int... N>
constexpr int digit_of(numbers<N...>, int const* values, int step) {
    constexpr auto const& plan = plan_of<Base, Stride, Period, IsStepped, Ts...>;
    constexpr int last = sizeof...(Ts);
    int value =
        (0 + ... + (values[N] * constant<plan.whole[N]>)) + step * constant<plan.whole[last]>;
    if constexpr (!plan.parts_vanish) {
        int const parts =
            (0 + ... + (values[N] * constant<plan.part[N]>)) + step * constant<plan.part[last]>;
        value += floor_divide<plan.divisor, plan.parts_non_negative>(parts);
    }
    if constexpr (plan.reduced) {
        return value;
    } else {
        return floor_modulo<static_cast<int>(Period / Stride), plan.non_negative>(value);
    }
}

} // namespace spio
