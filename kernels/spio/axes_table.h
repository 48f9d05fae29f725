// The bases of axes, and the table of their digits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/layout_table.h"

namespace spio {

// The type of a digit's values: bounded, unless the digit is dynamic.
template <class Base, digit D, bool IsDynamic> struct digit_value {
    using type = bounded<fold<Base, D.stride>, D.size>;
};
template <class Base, digit D> struct digit_value<Base, D, true> {
    using type = fold<Base, D.stride>;
};

// The bases of axes, each once. Plain axes take no recursion.
template <class Dimension> mp_list<base_of<Dimension>> bases_on(axis<Dimension>);
template <class Function, class... Placed, class... Read>
mp_list<base_of<Placed>..., base_of<Read>...>
    bases_on(derived_axis<Function, mp_list<Placed...>, mp_list<Read...>>);
template <bool ArePlain> struct bases_of_axes {
    template <class... Axes> using type = bases_of<typename Axes::dimension...>;
};
template <> struct bases_of_axes<false> {
    template <class... Axes>
    using type = typename merged<mp_list<>, decltype(bases_on(declval<Axes>()))...>::type;
};
template <auto... Axes>
using layout_bases = typename bases_of_axes<(is_plain_axis<decltype(Axes)> &&
                                             ...)>::template type<decltype(Axes)...>;

template <class Bases, class Table, class Dimension>
constexpr void add_to(Table& table, axis<Dimension> a) {
    table.add_plain(position_in<base_of<Dimension>>(Bases()), a.as_digit(), a.is_dynamic,
                    a.memory_stride);
}
template <class Bases, class Table, class Function, class... Placed, class... Read>
constexpr void add_to(Table& table,
                      derived_axis<Function, mp_list<Placed...>, mp_list<Read...>> a) {
    table.add_axis({a.size(), false, false, a.memory_stride});
    int i = 0;
    (table.add_digit(position_in<base_of<Placed>>(Bases()), a.placed_digits[i++], true, false),
     ...);
    i = 0;
    (table.add_digit(position_in<base_of<Read>>(Bases()), a.read_digits[i++], false, false), ...);
}
template <auto... Axes> constexpr auto make_layout_table() {
    constexpr int digits = (0 + ... + length(decltype(bases_on(Axes))()));
    layout_table<room_for(sizeof...(Axes)), room_for(digits)> table;
    using bases = layout_bases<Axes...>;
    if constexpr ((is_plain_axis<decltype(Axes)> && ...)) {
        (table.add_plain(position_in<base_of<typename decltype(Axes)::dimension>>(bases()),
                         Axes.as_digit(), Axes.is_dynamic, Axes.memory_stride),
         ...);
    } else {
        (add_to<bases>(table, Axes), ...);
    }
    return table;
}
template <auto... Axes> inline constexpr auto layout_table_of = make_layout_table<Axes...>();

} // namespace spio
