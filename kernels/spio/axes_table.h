// The bases of axes, and the table of their digits.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>. A plain axis counts one digit of a
// position in its base, floor(position / stride) mod size. A derived axis is a function of several
// digits: it places some of them, and only reads others, which other axes place. position_in<Base>
// is the index of a base in a list of bases, and room_for rounds a capacity up. Of an index type T,
// such as fold<K, 8>, base_of<T> is the dimension that it counts.
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

// Whether all axes are plain. derived.h has what tables need for others.
template <auto... Axes>
concept are_plain_axes = (is_plain_axis<decltype(Axes)> && ...);

// The bases of axes, each once. Where all axes are plain, each has one base, and no recursion is
// needed.
template <bool ArePlain> struct bases_of_axes {
    template <class... Axes> using type = bases_of<typename Axes::dimension...>;
};
template <> struct bases_of_axes<false> {
    template <class... Axes>
    using type = typename merged<mp_list<>, decltype(bases_on(declval<Axes>()))...>::type;
};
template <auto... Axes>
using layout_bases =
    typename bases_of_axes<are_plain_axes<Axes...>>::template type<decltype(Axes)...>;

// Layouts of similar size share the type of the table, since room_for rounds up.
template <auto... Axes> constexpr auto make_layout_table() {
    using bases = layout_bases<Axes...>;
    if constexpr (are_plain_axes<Axes...>) {
        constexpr int room = room_for(sizeof...(Axes));
        layout_table<room, room> table;
        (table.add_plain(position_in<base_of<typename decltype(Axes)::dimension>>(bases()),
                         Axes.as_digit(), Axes.is_dynamic, Axes.memory_stride),
         ...);
        return table;
    } else {
        return make_mixed_table(bases(), Axes...);
    }
}
template <auto... Axes> inline constexpr auto layout_table_of = make_layout_table<Axes...>();

} // namespace spio
