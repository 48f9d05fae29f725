// Layouts: axes placed in memory, and the offset of a position among them.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>. A position is a sum of terms, each of its
// own type, such as I(3) + fold<K, 8>(2), and of a number of steps of one in each base.
// numbers<A...> is a list of ints.
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

// Where the elements of a tensor lie that has these axes, outermost first. `table` lists the axes
// and their digits as numbers.
template <auto... Axes>
    requires no_problem<layout_problem_of<Axes...>>
struct layout
    : dynamic_values<layout_table_of<Axes...>.dynamic_count, layout_table_of<Axes...>.pitch_count> {
    using bases = layout_bases<Axes...>;
    static constexpr auto const& table = layout_table_of<Axes...>;
    using steps = int_values<table.base_count>;
    using offset_type = typename either<table.is_narrow(), int, long long>::type;
    using size_type = typename either<table.greatest_size() <= 0x7fffffff, int, long long>::type;
    static int const num_axes = sizeof...(Axes);
    static bool const is_static = table.dynamic_count + table.pitch_count == 0;

    template <class Base> static constexpr int base = position_in<Base>(bases());
    template <class Base>
    static constexpr bool is_dynamic = [] {
        if constexpr (contains<bases, Base>) {
            return table.is_dynamic(base<Base>);
        } else {
            return false;
        }
    }();
    // Whether an axis counts exactly D, and the number of that axis.
    template <class D>
    static constexpr bool has_axis =
        contains<bases, base_of<D>> && table.find(base<base_of<D>>, stride_of<D>) >= 0;
    template <class D>
    static constexpr int axis_of = table.digits[table.find(base<base_of<D>>, stride_of<D>)].axis;

    // Whether T is the size of a dynamic dimension, or the pitch of an axis that lacks it.
    template <class T> static consteval bool is_missing(type_is<T>) { return false; }
    template <index D> static consteval bool is_missing(type_is<D>) {
        return is_dynamic<base_of<D>>;
    }
    template <class D>
        requires has_axis<D>
    static consteval bool is_missing(type_is<pitch_value<D>>) {
        return table.axes[axis_of<D>].pitch == dynamic_pitch;
    }
    // Whether Sizes are the sizes of all dynamic dimensions and all dynamic pitches, each once.
    template <class... Sizes>
    static constexpr bool sized_by =
        sizeof...(Sizes) == table.dynamic_count + table.pitch_count &&
        (is_missing(type_is<Sizes>()) && ...) &&
        (is_once_among<typename size_key<Sizes>::type, typename size_key<Sizes>::type...> && ...);

    constexpr layout() = default;
    // From the dynamic extents of another layout with the same dynamic dimensions.
    using extents_type = dynamic_values<table.dynamic_count, table.pitch_count>;
    constexpr explicit layout(extents_type const& extents) : extents_type(extents) {}
    template <class... Sizes>
        requires(sizeof...(Sizes) > 0) && sized_by<Sizes...>
    constexpr explicit layout(Sizes... sizes) {
        (set(sizes), ...);
    }

    // The number of base units that the axes of one base span. Here and below B, A and D are the
    // numbers of a base, an axis and a digit in the table.
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
        return storage_over<Number>(numbers_below<num_axes>());
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
    constexpr auto extents() const { return extents_in(bases()); }

    // The number of elements, without padding.
    constexpr size_type size() const { return size_over(bases()); }

    // The offset of the position that is the sum of these terms and steps.
    template <class... Ts> constexpr displacement offset(int const* terms, int const* steps) const {
        return offset_over<Ts...>(numbers_below<num_axes>(), terms, steps);
    }

    // Calls f.operator()<D...>() with the numbers of all digits that the axes place, but for those
    // that are always 0.
    template <class Function> static constexpr auto over_placed(Function f) {
        return [&]<int... N>(numbers<N...>) {
            return f.template operator()<table.nth_placed(N)...>();
        }(numbers_below<table.placed_count()>());
    }

  private:
    template <index D> constexpr void set(D size) {
        constexpr int number = base<base_of<D>>;
        check_extent<base_of<D>, table.extent(number)>(spio::count<1>(size));
        this->values[table.dynamic_before(number)] = spio::count<1>(size);
    }
    template <class D> constexpr void set(pitch_value<D> pitch) {
        this->pitches[table.pitches_before(axis_of<D>)] = pitch.elements;
    }

    template <class Number, int... A> constexpr Number storage_over(numbers<A...>) const {
        bool const empty = ((count<A>() == 0) || ...);
        if (empty) return 0;
        return (Number(1) + ... + (Number(count<A>() - 1) * memory_stride<A, Number>()));
    }
    template <class... Bases> constexpr size_type size_over(mp_list<Bases...>) const {
        return (size_type(1) * ... * size_of<base<Bases>>());
    }
    // The number of elements along a base.
    template <int B> constexpr int size_of() const {
        constexpr int finest = table.finest_stride(B);
        return divup(extent_in_units<B>(), finest);
    }
    template <class... Bases> constexpr auto extents_in(mp_list<Bases...>) const {
        return make_coordinates(extent_of<Bases>()...);
    }
    template <class Base> constexpr auto extent_of() const {
        constexpr int b = base<Base>;
        if constexpr (table.is_dynamic(b)) {
            return Base(extent_in_units<b>());
        } else {
            constexpr digit top = table.digits[table.coarsest(b)];
            return fold<Base, top.stride>(top.size);
        }
    }

    // The sum of the offsets on the axes A.
    template <class... Ts, int... A>
    constexpr displacement offset_over(numbers<A...>, int const* terms, int const* steps) const {
        displacement sum;
        (add<A, Axes, Ts...>(numbers_below<sizeof...(Ts)>(), sum, terms, steps), ...);
        return sum;
    }
    // Adds the offset on one axis to the sum.
    template <int A, auto Axis, class... Ts, int... N>
    constexpr void add(numbers<N...>, displacement& sum, int const* terms, int const* steps) const {
        constexpr auto facts = table.facts_of(A);
        int value;
        if constexpr (facts.is_zero) {
            value = 0;
        } else if constexpr (facts.is_position) {
            using base = typename nth<bases, facts.base>::type;
            int const step = (same<Ts, base> || ...) ? 0 : steps[facts.base];
            value = (step + ... + (terms[N] * (same<base_of<Ts>, base> ? stride_of<Ts> : 0)));
        } else if constexpr (is_plain_axis<decltype(Axis)>) {
            value = digit_at<facts.first_digit, Ts...>(terms, steps);
        } else {
            value = value_on<Axis, facts.first_digit, Ts...>(numbers_below<Axis.num_digits>(),
                                                             terms, steps);
        }
        long long stride = facts.memory_stride;
        if constexpr (facts.memory_stride < 0) stride = memory_stride<A>();
        if constexpr (facts.is_narrow) {
            sum.narrow += value * static_cast<int>(stride);
        } else {
            sum.wide += value * stride;
        }
    }
    // The position on a derived axis: the value of the axis's function, which takes each digit as a
    // value of the dimension that the digit counts.
    template <auto Axis, int First, class... Ts, int... D>
    static constexpr int value_on(numbers<D...>, int const* terms, int const* steps) {
        return Axis.function(
            typename digit_dimension<First + D>::type(digit_at<First + D, Ts...>(terms, steps))...);
    }
    template <int D>
    struct digit_dimension
        : type_is<fold<typename nth<bases, table.digits[D].base>::type, table.digits[D].stride>> {};

    // The value of a digit of the position.
    template <int D, class... Ts>
    static constexpr int digit_at(int const* terms, int const* steps) {
        constexpr digit_row row = table.digits[D];
        constexpr int stride = row.stride;
        constexpr long long period = table.period(row.base, row);
        using base = typename nth<bases, row.base>::type;
        using term_numbers = numbers_below<sizeof...(Ts)>;
        int const step = steps[row.base];
        // If one of the terms counts the base itself, without a bound, the cursor has added all its
        // steps in this base to that term, and none are left to add.
        if constexpr (table.is_unit(D)) {
            return 0;
        } else if constexpr ((same<Ts, base> || ...)) {
            return digit_of<base, stride, period, false, Ts...>(term_numbers(), terms, 0);
        } else if constexpr (table.is_linear(row.base) || !(same<base_of<Ts>, base> || ...)) {
            return digit_of<base, stride, period, true, Ts...>(term_numbers(), terms, step);
        } else {
            // Most positions have taken no steps, and their digits then depend on the terms only.
            return step == 0
                       ? digit_of<base, stride, period, false, Ts...>(term_numbers(), terms, 0)
                       : digit_of<base, stride, period, true, Ts...>(term_numbers(), terms, step);
        }
    }
};

} // namespace spio
