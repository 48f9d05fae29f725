// The bases of axes, and the table of their digits.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>. A plain axis counts one digit of a
// position in its base, floor(position / stride) mod size. A derived axis is a function of several
// digits: it places some of them, and only reads others, which other axes place. position_in<Base>
// is the index of a base in a list of bases, and room_for rounds a capacity up.
#pragma once

#include "spio/layout_table.h"

namespace spio {

// The type of a digit's values: bounded, unless the size of the digit is known only at run time.
template <class Base, digit D, bool IsDynamic> struct digit_value {
    using type = bounded<fold<Base, D.stride>, D.size>;
};
template <class Base, digit D> struct digit_value<Base, D, true> {
    using type = fold<Base, D.stride>;
};

// The bases of axes, each once. Where all axes are plain, each has one base, and no recursion is
// needed.
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
// Layouts of similar size share the type of the table, since room_for rounds up.
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
