// The cells of derived axes: whether a function keeps them on its axis, and apart.
// SPDX-License-Identifier: Apache-2.0
//
// A derived axis places several digits of a position as one axis. Its function may also read digits
// that other axes place. A cell is a combination of values of the placed digits. numbers<A...> is a
// list of ints. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension that it counts.
// numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/axis.h"
#include "spio/list.h"

namespace spio {

template <class Function, class Placed, class Read> struct derived_axis;

// The position of a cell on a derived axis. `cell` numbers the placed digits in mixed radix, the
// last fastest, and `read_cell` the digits that are only read.
template <auto Axis, class Function, class... Placed, class... Read>
constexpr int place_of_cell(derived_axis<Function, mp_list<Placed...>, mp_list<Read...>>, int cell,
                            int read_cell) {
    int digits[sizeof...(Placed) + sizeof...(Read)] = {};
    for (int d = sizeof...(Placed); d-- > 0; cell /= Axis.placed_digits[d].size) {
        digits[d] = cell % Axis.placed_digits[d].size;
    }
    for (int d = sizeof...(Read); d-- > 0; read_cell /= Axis.read_digits[d].size) {
        digits[sizeof...(Placed) + d] = read_cell % Axis.read_digits[d].size;
    }
    return [&]<int... P, int... R>(numbers<P...>, numbers<R...>) {
        return static_cast<int>(Axis.function(
            fold<base_of<Placed>, Axis.placed_digits[P].stride>(digits[P])...,
            fold<base_of<Read>, Axis.read_digits[R].stride>(digits[sizeof...(Placed) + R])...));
    }(numbers_below<sizeof...(Placed)>(), numbers_below<sizeof...(Read)>());
}

// What a function makes of the cells of its axis, for all values that it reads.
struct cell_facts {
    bool are_inside = true; // each has a position on the axis
    bool are_distinct = true;
};
// The facts for `read_cells` combinations of the digits that are only read, from a first one on.
template <auto Axis> constexpr cell_facts look_at_cells(int first_read_cell, int read_cells) {
    cell_facts facts;
    for (int n = 0; n < read_cells; ++n) {
        bool is_taken[Axis.size()] = {};
        for (int cell = 0; cell < Axis.size(); ++cell) {
            int const place = place_of_cell<Axis>(Axis, cell, first_read_cell + n);
            bool const is_inside = 0 <= place && place < Axis.size();
            facts.are_inside &= is_inside;
            facts.are_distinct &= is_inside && !is_taken[is_inside ? place : 0];
            if (is_inside) is_taken[place] = true;
        }
    }
    return facts;
}

// The number of combinations of the digits that are only read.
template <auto Axis> consteval long long read_cells_of() {
    long long count = 1;
    for (digit const& d : Axis.read_digits) count *= d.size;
    return count;
}
// Compilers limit how long they evaluate one constant: the cells are looked at in parts.
template <auto Axis> consteval int read_cells_at_once() {
    return static_cast<int>(min(read_cells_of<Axis>(), max(4096LL / Axis.size(), 1LL)));
}
// What one part of the cells shows.
template <auto Axis, int Part> consteval cell_facts part_facts() {
    constexpr int length = read_cells_at_once<Axis>();
    constexpr int first = Part * length;
    return look_at_cells<Axis>(first, min(length, static_cast<int>(read_cells_of<Axis>()) - first));
}
template <bool> struct constant_value;
template <auto Axis, int Part>
concept evaluates_part = requires { typename constant_value<part_facts<Axis, Part>().are_inside>; };

// A function may declare that it permutes its cells. Then nothing is evaluated.
//     static constexpr bool is_permutation(digit const* placed, digit const* inputs);
template <auto Axis> consteval bool is_declared_permutation() {
    if constexpr (requires {
                      Axis.function.is_permutation(Axis.placed_digits, Axis.read_digits);
                  }) {
        return Axis.function.is_permutation(Axis.placed_digits, Axis.read_digits);
    } else {
        return false;
    }
}

// What is known of an axis's cells: whether all lie inside it, each in another place.
template <auto Axis> consteval cell_facts cell_facts_of() {
    if constexpr (is_plain_axis<decltype(Axis)>) {
        return {};
    } else if constexpr (is_declared_permutation<Axis>()) {
        return {};
    } else {
        constexpr int length = read_cells_at_once<Axis>();
        constexpr int parts = static_cast<int>((read_cells_of<Axis>() + length - 1) / length);
        return []<int... P>(numbers<P...>) {
            return cell_facts{(part_facts<Axis, P>().are_inside && ...),
                              (part_facts<Axis, P>().are_distinct && ...)};
        }(numbers_below<parts>());
    }
}

// Whether the function of an axis gives some cell a position beyond the axis. Functions that are
// no constant expressions, or that have more than 2^16 cells, are taken on trust.
template <auto Axis> consteval bool leaves_its_axis() {
    if constexpr (is_declared_permutation<Axis>()) {
        return false;
    } else if constexpr (read_cells_of<Axis>() * Axis.size() > 0x10000) {
        return false;
    } else if constexpr (evaluates_part<Axis, 0>) {
        return !cell_facts_of<Axis>().are_inside;
    } else {
        return false;
    }
}

} // namespace spio
