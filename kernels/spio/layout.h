// Layouts: axes placed in memory, and the offset of a position among them.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>. A position is a sum of terms, each of its
// own type, such as I(3) + fold<K, 8>(2), and of a number of steps of one in each base.
// numbers<A...> is a list of ints. Of an index type T, such as fold<K, 8>, base_of<T> is the
// dimension that it counts and stride_of<T> the size of its steps. numbers_below<n> is the list of
// 0 to n - 1.
#pragma once

#include "spio/layout_parts.h"

namespace spio {

// Where the elements of a tensor lie that has these axes, outermost first. `table` lists the axes
// and their digits as numbers.
template <auto... Axes>
    requires no_problem<layout_problem_of<Axes...>>
struct layout
    : dynamic_values<layout_table_of<Axes...>.dynamic_count, layout_table_of<Axes...>.pitch_count> {
    using bases = layout_bases<Axes...>;
    static constexpr auto const& table = layout_table_of<Axes...>;
    using steps = int_values<table.base_count>;
    using offset_type = either<table.is_narrow(), int, long long>;
    using size_type = either<table.greatest_size() <= 0x7fffffff, int, long long>;
    static int const num_axes = sizeof...(Axes);
    static bool const is_static = table.dynamic_count + table.pitch_count == 0;

    template <class Base> static constexpr int base = position_in<Base>(bases());
    template <class Base>
    static constexpr bool is_dynamic = contains<bases, Base> && table.is_dynamic(base<Base>);
    // Whether an axis counts exactly D, and the number of that axis.
    template <class D>
    static constexpr bool has_axis =
        contains<bases, base_of<D>> && table.find(base<base_of<D>>, stride_of<D>) >= 0;
    template <class D>
    static constexpr int axis_of = table.digits[table.find(base<base_of<D>>, stride_of<D>)].axis;

    constexpr layout() = default;
    // From the dynamic extents of another layout with the same dynamic dimensions.
    using extents_type = dynamic_values<table.dynamic_count, table.pitch_count>;
    constexpr explicit layout(extents_type const& extents) : extents_type(extents) {}
    template <class... Sizes>
        requires(sizeof...(Sizes) > 0) && sizes_of<layout, Sizes...>
    constexpr explicit layout(Sizes... sizes) {
        (layout_parts::set(*this, sizes), ...);
    }

    // The number of base units that the axes of one base span.
    template <int B> constexpr int extent_in_units() const {
        if constexpr (table.is_dynamic(B)) {
            return this->values[table.dynamic_before(B)];
        } else {
            constexpr int extent = static_cast<int>(table.extent(B));
            return extent;
        }
    }
    // The number of steps of an axis.
    template <int A> constexpr int count() const {
        if constexpr (table.axes[A].is_dynamic) {
            return digit_count<table.first_digit(A)>();
        } else {
            return table.axes[A].size;
        }
    }
    template <int D> constexpr int digit_count() const {
        constexpr digit_row row = table.digits[D];
        if constexpr (row.is_dynamic) {
            return divup(extent_in_units<row.base>(), row.stride);
        } else {
            return row.size;
        }
    }
    // The distance in memory between two steps of an axis, in elements.
    template <int A, class Number = long long> constexpr Number memory_stride() const {
        constexpr long long stride = table.memory_stride(A);
        if constexpr (stride >= 0) {
            return stride;
        } else if constexpr (table.axes[A].pitch == dynamic_pitch) {
            return this->pitches[table.pitches_before(A)];
        } else {
            return memory_stride<A + 1, Number>() * count<A + 1>();
        }
    }
    // The number of elements in memory from the first element to the last, padding included. It is
    // computed in `Number`: host code takes checked_size for extents that may be wrong.
    template <class Number = long long> constexpr Number storage_size() const {
        return layout_parts::storage_size<Number>(*this, numbers_below<num_axes>());
    }

    // The size of the axis that counts D, and the extent of D's base in steps of D, rounded down.
    // The bound of a bounded D has no part in them.
    template <index D>
        requires(has_axis<D>)
    constexpr dimension_of<D> size() const {
        return dimension_of<D>(digit_count<table.find(base<base_of<D>>, stride_of<D>)>());
    }
    template <index D>
        requires contains<bases, base_of<D>>
    constexpr dimension_of<D> extent() const {
        return dimension_of<D>(base_of<D>(extent_in_units<base<base_of<D>>>()));
    }
    // The extents as coordinates, with an entry for each base dimension: the size of the base's
    // coarsest axis in steps of that axis, or in steps of 1 where a launch brings the extent.
    constexpr auto extents() const { return layout_parts::extents(*this, bases()); }

    // The number of elements, without padding.
    constexpr size_type size() const { return layout_parts::size(*this, bases()); }

    // The offset of the position that is the sum of these terms and steps: the sum of its offsets
    // on the axes A, which are all.
    template <class... Ts, int... A>
    constexpr displacement offset(numbers<A...>, int const* terms, int const* steps) const {
        displacement sum;
        (layout_parts::add<A, Axes, Ts...>(*this, numbers_below<sizeof...(Ts)>(), sum, terms,
                                           steps),
         ...);
        return sum;
    }
};

} // namespace spio
