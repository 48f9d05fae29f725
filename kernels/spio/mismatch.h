// Why a tensor of one type is no tensor of another: the first difference, by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/layout.h"

namespace spio {

// The differences: a compiler prints the name and its arguments.
template <class Data, class Wanted> struct has_other_elements;
template <class Data> struct has_elements_that_are_only_read;
template <class Dimension> struct lacks_the_dimension;
template <class Dimension> struct has_the_extra_dimension;
template <class Dimension> struct has_other_axes_of;
struct has_its_axes_in_another_order;

// The types of List that are not in Others.
template <class Others, class... Ts>
using missing_in =
    typename merged<mp_list<>,
                    typename either<contains<Others, Ts>, mp_list<>, mp_list<Ts>>::type...>::type;
template <class... Ts, class Others> missing_in<Others, Ts...> without(mp_list<Ts...>, Others);

// Whether two layouts with the same bases have the same digits and pitches of a base, in order.
template <class Table, class OtherTable>
constexpr bool has_same_axes(Table const& a, int base, OtherTable const& b, int other_base) {
    int other = 0;
    for (int d = 0; d < a.digit_count; ++d) {
        digit_row const& row = a.digits[d];
        if (row.base != base) continue;
        while (other < b.digit_count && b.digits[other].base != other_base) ++other;
        if (other == b.digit_count) return false;
        digit_row const& same_row = b.digits[other++];
        if (row.stride != same_row.stride || row.size != same_row.size ||
            row.is_ring != same_row.is_ring || row.is_dynamic != same_row.is_dynamic ||
            row.is_placed != same_row.is_placed ||
            a.axes[row.axis].pitch != b.axes[same_row.axis].pitch) {
            return false;
        }
    }
    while (other < b.digit_count && b.digits[other].base != other_base) ++other;
    return other == b.digit_count;
}
template <class Layout, class Wanted, class... Bases> constexpr auto name_axes(mp_list<Bases...>) {
    using differing =
        typename merged<mp_list<>,
                        typename either<has_same_axes(Layout::table, Layout::template base<Bases>,
                                                      Wanted::table, Wanted::template base<Bases>),
                                        mp_list<>, mp_list<Bases>>::type...>::type;
    if constexpr (length(differing()) > 0) {
        return type_is<has_other_axes_of<typename nth<differing, 0>::type>>();
    } else {
        return type_is<has_its_axes_in_another_order>();
    }
}

// Why a tensor of Data in Layout is none of WantedData in Wanted.
template <class Data, class Layout, class WantedData, class Wanted> constexpr auto name_mismatch() {
    using missing = decltype(without(typename Wanted::bases(), typename Layout::bases()));
    using surplus = decltype(without(typename Layout::bases(), typename Wanted::bases()));
    if constexpr (!same<Data const, WantedData const>) {
        return type_is<has_other_elements<Data, WantedData>>();
    } else if constexpr (length(missing()) > 0) {
        return type_is<lacks_the_dimension<typename nth<missing, 0>::type>>();
    } else if constexpr (length(surplus()) > 0) {
        return type_is<has_the_extra_dimension<typename nth<surplus, 0>::type>>();
    } else if constexpr (!same<Layout, Wanted>) {
        return name_axes<Layout, Wanted>(typename Wanted::bases());
    } else {
        return type_is<has_elements_that_are_only_read<Data>>();
    }
}
template <class Tensor, class Wanted>
using mismatch_of =
    typename decltype(name_mismatch<typename Tensor::data_type, typename Tensor::layout_type,
                                    typename Wanted::data_type,
                                    typename Wanted::layout_type>())::type;

} // namespace spio
