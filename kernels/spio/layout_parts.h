// Sizes and offsets of layouts, computed from their tables of axes and from the types of terms.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>. A position is a sum of terms, each of its
// own type, such as I(3) + fold<K, 8>(2), and of a number of steps of one in each base. A layout's
// `table` has its digits and axes as numbers. numbers<A...> is a list of ints. A refusal<D> in a
// function makes a call of it no constant expression, so that compilers name that function;
// checks_at_run_time is true in checked builds alone. Of an index type T, such as fold<K, 8>,
// base_of<T> is the dimension that it counts and stride_of<T> the size of its steps.
// numbers_below<n> is the list of 0 to n - 1. type_is<T> has T as its member `type`.
#pragma once

#include "spio/well_formed.h"

namespace spio {

// What is known only when a tensor is made: the extents of the dynamic bases, in base units, and
// the pitches (distances in memory) of axes.
template <int Count> struct dynamic_extents {
    int values[Count] = {};
};
template <> struct dynamic_extents<0> {};
template <int Count> struct dynamic_pitches {
    long long pitches[Count] = {};
};
template <> struct dynamic_pitches<0> {};
template <int Extents, int Pitches>
struct dynamic_values : dynamic_extents<Extents>, dynamic_pitches<Pitches> {};
template <int Extents> struct dynamic_values<Extents, 0> : dynamic_extents<Extents> {};

// The dimension that a size is for, or the type of a pitch: a tensor takes one argument for each.
template <class T> struct size_key : type_is<T> {};
template <index T> struct size_key<T> : type_is<base_of<T>> {};

// One number for each term of a position, or the steps in each base of a layout.
template <int Count> struct int_values {
    int items[Count] = {};
};
template <> struct int_values<0> {
    static constexpr int const* items = nullptr;
};

// An offset in elements, in two parts: the sum over the axes whose offsets fit into 32 bits, and
// the sum over the other axes.
struct displacement {
    int narrow = 0;
    long long wide = 0;
};

template <class Dimension, long long Maximum>
constexpr void a_dynamic_size_is_from_0_to_its_greatest(int size) {
    [[maybe_unused]] refusal<Dimension> const numbers{size, Maximum};
}
template <class Dimension, long long Maximum> constexpr void check_extent(int size) {
    if (!(0 <= size && size <= Maximum) &&
        (checks_at_run_time || __builtin_is_constant_evaluated())) {
        a_dynamic_size_is_from_0_to_its_greatest<Dimension, Maximum>(size);
    }
}

// Whether T is the size of a dynamic dimension of a layout, or the pitch of an axis that lacks it.
template <class Layout, class T> consteval bool is_missing(type_is<T>) { return false; }
template <class Layout, index D> consteval bool is_missing(type_is<D>) {
    return Layout::template is_dynamic<base_of<D>>;
}
template <class Layout, class D>
    requires(Layout::template has_axis<D>)
consteval bool is_missing(type_is<pitch_value<D>>) {
    return Layout::table.axes[Layout::template axis_of<D>].pitch == dynamic_pitch;
}
// Whether a tensor of this layout is made from arguments of these types: a size for each dynamic
// dimension, and its dynamic pitches, each once.
template <class Layout, class... Sizes>
concept sizes_of =
    sizeof...(Sizes) == Layout::table.dynamic_count + Layout::table.pitch_count &&
    (is_missing<Layout>(type_is<Sizes>()) && ...) &&
    (is_once_among<typename size_key<Sizes>::type, typename size_key<Sizes>::type...> && ...);

// What layouts do with their axes and with the types of terms, apart from their classes: a compiler
// declares all members of a class again for each layout of a kernel. Here and below B, A and D are
// the numbers of a base, an axis and a digit in the table.
struct layout_parts {
    template <class Layout, index D> static constexpr void set(Layout& layout, D size) {
        constexpr int number = Layout::template base<base_of<D>>;
        check_extent<base_of<D>, Layout::table.extent(number)>(spio::count<1>(size));
        layout.values[Layout::table.dynamic_before(number)] = spio::count<1>(size);
    }
    template <class Layout, class D>
    static constexpr void set(Layout& layout, pitch_value<D> pitch) {
        layout.pitches[Layout::table.pitches_before(Layout::template axis_of<D>)] = pitch.elements;
    }

    template <class Number, class Layout, int... A>
    static constexpr Number storage_size(Layout const& layout, numbers<A...>) {
        bool const empty = ((layout.template count<A>() == 0) || ...);
        if (empty) return 0;
        return (
            Number(1) + ... +
            (Number(layout.template count<A>() - 1) * layout.template memory_stride<A, Number>()));
    }
    // The number of elements.
    template <class Layout, class... Bases>
    static constexpr typename Layout::size_type size(Layout const& layout, mp_list<Bases...>) {
        return (typename Layout::size_type(1) * ... *
                size_of<Layout::template base<Bases>>(layout));
    }
    template <class Layout, class... Bases>
    static constexpr auto extents(Layout const& layout, mp_list<Bases...>) {
        return make_coordinates(extent_of<Bases>(layout)...);
    }

    // Adds the offset on one axis to the sum.
    template <int A, auto Axis, class... Ts, class Layout, int... N>
    static constexpr void add(Layout const& layout, numbers<N...>, displacement& sum,
                              int const* terms, int const* steps) {
        constexpr auto facts = Layout::table.facts_of(A);
        int value;
        if constexpr (facts.is_zero) {
            value = 0;
        } else if constexpr (facts.is_position) {
            using base = base_of<typename decltype(Axis)::dimension>;
            int const step = (same<Ts, base> || ...) ? 0 : steps[facts.base];
            value = (step + ... + (terms[N] * (same<base_of<Ts>, base> ? stride_of<Ts> : 0)));
        } else if constexpr (is_plain_axis<decltype(Axis)>) {
            using base = base_of<typename decltype(Axis)::dimension>;
            value = digit_at<Layout, facts.first_digit, base, Ts...>(terms, steps);
        } else {
            value = value_on<Layout, Axis, facts.first_digit, Ts...>(
                numbers_below<Axis.num_digits>(), terms, steps);
        }
        long long stride = facts.memory_stride;
        if constexpr (facts.memory_stride < 0) stride = layout.template memory_stride<A>();
        if constexpr (facts.is_narrow) {
            sum.narrow += value * static_cast<int>(stride);
        } else {
            sum.wide += value * stride;
        }
    }

  private:
    // The number of elements along a base.
    template <int B, class Layout> static constexpr int size_of(Layout const& layout) {
        constexpr int finest = Layout::table.finest_stride(B);
        return divup(layout.template extent_in_units<B>(), finest);
    }
    template <class Base, class Layout> static constexpr auto extent_of(Layout const& layout) {
        constexpr int b = Layout::template base<Base>;
        if constexpr (Layout::table.is_dynamic(b)) {
            return Base(layout.template extent_in_units<b>());
        } else {
            constexpr digit top = Layout::table.digits[Layout::table.coarsest(b)];
            return fold<Base, top.stride>(top.size);
        }
    }

    // The position on a derived axis: the value of the axis's function, which takes each digit as a
    // value of the dimension that the digit counts.
    template <class Layout, auto Axis, int First, class... Ts, int... D>
    static constexpr int value_on(numbers<D...>, int const* terms, int const* steps) {
        return Axis.function(
            fold<digit_base<Layout, First + D>, Layout::table.digits[First + D].stride>(
                digit_at<Layout, First + D, digit_base<Layout, First + D>, Ts...>(terms,
                                                                                  steps))...);
    }
    template <class Layout, int D>
    using digit_base = typename nth<typename Layout::bases, Layout::table.digits[D].base>::type;

    // The value of a digit of the position, which counts Base.
    template <class Layout, int D, class Base, class... Ts>
    static constexpr int digit_at(int const* terms, int const* steps) {
        constexpr auto const& table = Layout::table;
        constexpr digit_row row = table.digits[D];
        constexpr int stride = row.stride;
        constexpr long long period = table.period(row.base, row);
        using term_numbers = numbers_below<sizeof...(Ts)>;
        constexpr bool without_step = false, with_step = true;
        int const step = steps[row.base];
        // If one of the terms counts the base itself, without a bound, the cursor has added all its
        // steps in this base to that term, and none are left to add.
        if constexpr (table.is_unit(D)) {
            return 0;
        } else if constexpr ((same<Ts, Base> || ...)) {
            return digit_of<Base, stride, period, without_step, Ts...>(term_numbers(), terms,
                                                                       /*step=*/0);
        } else if constexpr (table.is_linear(row.base) || !(same<base_of<Ts>, Base> || ...)) {
            return digit_of<Base, stride, period, with_step, Ts...>(term_numbers(), terms, step);
        } else {
            // Most positions have taken no steps, and their digits then depend on the terms only.
            return step == 0 ? digit_of<Base, stride, period, without_step, Ts...>(
                                   term_numbers(), terms, /*step=*/0)
                             : digit_of<Base, stride, period, with_step, Ts...>(term_numbers(),
                                                                                terms, step);
        }
    }
};

} // namespace spio
