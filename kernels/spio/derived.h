// Derived axes: a pure function of some digits of a position, placed in a layout as one axis.
// SPDX-License-Identifier: Apache-2.0
//
// A digit is a part of a position in a dimension: floor(position / stride) mod size. A plain axis
// counts one digit; its pitch is the distance in memory between two of its steps. Deleted overloads
// take what the others refuse; the compiler shows their names, which say what is wrong. Of an index
// type T, such as fold<K, 8>, base_of<T> is the dimension that it counts. numbers_below<n> is the
// list of 0 to n - 1. type_is<T> has T as its member `type`. room_for(n) is n, rounded up, so that
// fewer types differ. as_input() is the digit of an axis of known size.
#pragma once

#include "spio/cells.h"
#include "spio/well_formed.h"

namespace spio {

// Ends an array of digits, so that it is never empty.
inline constexpr digit no_digit = {.stride = 1, .size = 1, .is_ring = false};

// Function takes the digits of the axes that it places and then those of the axes that it only
// reads, each as a value of its dimension, and returns a position on the derived axis. For any
// values read it should be a permutation of the cells placed. A layout refuses functions that
// cannot be called so.
template <class Function, class... Placed, class... Read>
struct derived_axis<Function, mp_list<Placed...>, mp_list<Read...>> {
    Function function;
    digit placed_digits[sizeof...(Placed)];
    digit read_digits[sizeof...(Read) + 1]; // the last is no_digit
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
            function, {}, {others.as_input()..., no_digit}, memory_stride};
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
        function, {placed.as_input()...}, {no_digit}};
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

// The bases whose digits an axis counts, places or reads.
template <class Dimension> mp_list<base_of<Dimension>> bases_on(axis<Dimension>);
template <class Function, class... Placed, class... Read>
mp_list<base_of<Placed>..., base_of<Read>...>
    bases_on(derived_axis<Function, mp_list<Placed...>, mp_list<Read...>>);

// Adds an axis and its digits to a table.
template <class Bases, class Table, class Dimension>
constexpr void add_to(Table& table, axis<Dimension> a) {
    table.add_plain(position_in<base_of<Dimension>>(Bases()), a.as_digit(), a.is_dynamic,
                    a.memory_stride);
}
template <class Bases, class Table, class Function, class... Placed, class... Read>
constexpr void add_to(Table& table,
                      derived_axis<Function, mp_list<Placed...>, mp_list<Read...>> a) {
    table.add_axis(
        {.size = a.size(), .is_dynamic = false, .is_plain = false, .pitch = a.memory_stride});
    int i = 0;
    (table.add_digit(position_in<base_of<Placed>>(Bases()), a.placed_digits[i++],
                     /*is_placed=*/true, /*is_dynamic=*/false),
     ...);
    i = 0;
    (table.add_digit(position_in<base_of<Read>>(Bases()), a.read_digits[i++], /*is_placed=*/false,
                     /*is_dynamic=*/false),
     ...);
}
// The table of axes that are not all plain, of which Bases are the bases.
template <class Bases, class... Axes> constexpr auto make_mixed_table(Bases, Axes... axes) {
    constexpr int digits = (0 + ... + length(decltype(bases_on(axes))()));
    layout_table<room_for(sizeof...(Axes)), room_for(digits)> table;
    (add_to<Bases>(table, axes), ...);
    return table;
}

// The problems of functions: a compiler prints the name and its arguments.
template <class Function, class... Digits> struct the_function_makes_no_int_of;
template <class Function, int Size> struct the_function_leaves_its_axis;

template <class Function, class... Digits>
concept makes_an_int_of =
    requires(Function const& f, void (*take)(int), Digits... digits) { take(f(digits...)); };

// Checks that a function takes values of the dimensions that its digits count.
template <auto Axis, class Function, class... Placed, class... Read>
constexpr auto name_call_problem(derived_axis<Function, mp_list<Placed...>, mp_list<Read...>>) {
    return []<int... P, int... R>(numbers<P...>, numbers<R...>) {
        if constexpr (makes_an_int_of<Function,
                                      fold<base_of<Placed>, Axis.placed_digits[P].stride>...,
                                      fold<base_of<Read>, Axis.read_digits[R].stride>...>) {
            return type_is<nothing_wrong>();
        } else {
            return type_is<the_function_makes_no_int_of<
                Function, fold<base_of<Placed>, Axis.placed_digits[P].stride>...,
                fold<base_of<Read>, Axis.read_digits[R].stride>...>>();
        }
    }(numbers_below<sizeof...(Placed)>(), numbers_below<sizeof...(Read)>());
}
// The same, and that the function does not leave its axis.
template <auto Axis> constexpr auto name_function_problem() {
    using problem = decltype(name_call_problem<Axis>(Axis));
    if constexpr (!same<typename problem::type, nothing_wrong>) {
        return problem();
    } else if constexpr (leaves_its_axis<Axis>()) {
        return type_is<the_function_leaves_its_axis<decltype(Axis.function), Axis.size()>>();
    } else {
        return problem();
    }
}
template <auto Axis, class Function, class Placed, class Read>
struct problem_of_axis<Axis, derived_axis<Function, Placed, Read>>
    : decltype(name_function_problem<Axis>()) {};

} // namespace spio
