// Whether a position names an element: what its subscripts leave out, or count too finely.
// SPDX-License-Identifier: Apache-2.0
//
// A position in a layout is a sum of terms, indices such as I(3) or fold<K, 8>(2), which a program
// writes as subscripts. A base is a dimension that is no fold: K of fold<K, 8>, which counts K in
// blocks of 8. A layout's `table` has its digits and axes as numbers. Of an index type T, such as
// fold<K, 8>, base_of<T> is the dimension that it counts and stride_of<T> the size of its steps.
// type_is<T> has T as its member `type`.
#pragma once

#include "spio/layout.h"

namespace spio {

// The problems: a compiler prints the name and its arguments.
template <class Dimension> struct has_no_subscript_in;
template <class Dimension, int Blocks> struct is_finer_than_the_blocks_of;

// A base that has several positions and no subscript, and a term that counts in smaller steps than
// all axes of its base; -1: there is none.
struct subscript_flaws {
    int open_base = -1;
    int finer_term = -1;

    constexpr bool are_none() const { return open_base < 0 && finer_term < 0; }
};
// The first problem of a position in a layout. Each of its terms has the number of its base and its
// stride; the last one stands behind them, and counts nothing.
template <class Table, int N>
constexpr subscript_flaws find_subscript_flaws(Table const& table, int const (&bases)[N],
                                               int const (&strides)[N]) {
    subscript_flaws flaws;
    for (int base = table.base_count - 1; base >= 0; --base) {
        int const finest = table.finest_stride(base);
        bool is_open = table.is_dynamic(base) || table.extent(base) > finest;
        for (int term = 0; term < N - 1; ++term) {
            if (bases[term] != base) continue;
            is_open = false;
            if (strides[term] % finest != 0) flaws.finer_term = term;
        }
        if (is_open) flaws.open_base = base;
    }
    return flaws;
}
template <class Layout, class... Ts>
concept names_element =
    find_subscript_flaws(Layout::table, {Layout::template base<base_of<Ts>>..., -1},
                         {stride_of<Ts>..., 1})
        .are_none();

// The problem of a position that names no element.
template <class Layout, class... Ts> constexpr auto name_subscript_problem() {
    constexpr subscript_flaws flaws = find_subscript_flaws(
        Layout::table, {Layout::template base<base_of<Ts>>..., -1}, {stride_of<Ts>..., 1});
    if constexpr (flaws.open_base >= 0) {
        using base = typename nth<typename Layout::bases, flaws.open_base>::type;
        return type_is<has_no_subscript_in<base>>();
    } else if constexpr (flaws.finer_term >= 0) {
        using term = typename nth<mp_list<Ts...>, flaws.finer_term>::type;
        constexpr int base = Layout::template base<base_of<term>>;
        return type_is<
            is_finer_than_the_blocks_of<base_of<term>, Layout::table.finest_stride(base)>>();
    } else {
        return type_is<nothing_wrong>();
    }
}
// The problem of a cursor or base cursor that names no element. Its name is looked for only where
// an element is asked for.
template <template <class, class, class...> class Cursor, class Data, class Layout, class... Ts>
    requires(!names_element<Layout, Ts...>)
auto subscript_problem(Cursor<Data, Layout, Ts...> const*)
    -> decltype(name_subscript_problem<Layout, Ts...>());
template <class Place>
using subscript_problem_of =
    typename decltype(subscript_problem(static_cast<Place const*>(nullptr)))::type;

} // namespace spio
