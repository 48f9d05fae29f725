// Derived axes: a pure function of some digits of a position, placed in a layout as one axis.
// SPDX-License-Identifier: Apache-2.0
//
// A digit is a part of a position in a dimension: floor(position / stride) mod size. A plain axis
// counts one digit; its pitch is the distance in memory between two of its steps. Deleted overloads
// take what the others refuse; the compiler shows their names, which say what is wrong.
#pragma once

#include "spio/axis.h"
#include "spio/list.h"

namespace spio {

template <class Function, class Placed, class Read> struct derived_axis;

// Function takes the digits of the axes that it places and then those of the axes that it only
// reads, each as a value of its dimension, and returns a position on the derived axis. For any
// values read it should be a permutation of the cells placed. A layout refuses functions that
// cannot be called so.
template <class Function, class... Placed, class... Read>
struct derived_axis<Function, mp_list<Placed...>, mp_list<Read...>> {
    Function function;
    digit placed_digits[sizeof...(Placed)];
    digit read_digits[sizeof...(Read) + 1]; // the last only makes the array not empty
    long long memory_stride = dense;

    static constexpr int num_digits = sizeof...(Placed) + sizeof...(Read);

    constexpr int size() const {
        int product = 1;
        for (digit const& d : placed_digits) product *= d.size;
        return product;
    }
    template <integer N> consteval derived_axis pitch(N elements) const {
        derived_axis a = *this;
        a.memory_stride = static_cast<long long>(elements);
        if (a.memory_stride < 0) a_pitch_is_not_negative<derived_axis>(a.memory_stride);
        return a;
    }
    // Adds axes that the function takes into account and that the layout places elsewhere.
    template <index... Others>
        requires(sizeof...(Read) == 0)
    consteval auto reading(axis<Others>... others) const {
        derived_axis<Function, mp_list<Placed...>, mp_list<Others...>> a{
            function, {}, {others.as_input()..., digit{1, 1, false}}, memory_stride};
        for (int i = 0; i < static_cast<int>(sizeof...(Placed)); ++i)
            a.placed_digits[i] = placed_digits[i];
        return a;
    }
    template <class... OnlyAxesAllAtOnce>
        requires(sizeof...(Read) > 0 || !(is_plain_axis<OnlyAxesAllAtOnce> && ...))
    void reading(OnlyAxesAllAtOnce...) const = delete;
};

// An axis of a layout whose positions a user's function computes.
//     derived([](I i, fold<K, 8> k) { return i.get() * 2 + (k.get() ^ 1); }, i % 16, k / 8 % 2)
template <class Function, index... Placed>
    requires(sizeof...(Placed) > 0)
consteval auto derived(Function function, axis<Placed>... placed) {
    return derived_axis<Function, mp_list<Placed...>, mp_list<>>{
        function, {placed.as_input()...}, {digit{1, 1, false}}};
}
template <class Function, class... OnlyAxes>
    requires(sizeof...(OnlyAxes) == 0 || !(is_plain_axis<OnlyAxes> && ...))
void derived(Function, OnlyAxes...) = delete;

template <class T> inline constexpr bool is_derived_axis = false;
template <class T> inline constexpr bool is_derived_axis<T const> = is_derived_axis<T>;
template <class Function, class Placed, class Read>
inline constexpr bool is_derived_axis<derived_axis<Function, Placed, Read>> = true;

template <class T>
concept axis_like = is_plain_axis<T> || is_derived_axis<T>;

} // namespace spio
