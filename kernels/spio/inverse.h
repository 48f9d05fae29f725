// The inverse of a layout: which element lies at an offset.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. An axis
// counts a digit of a position in its base, floor(position / stride) mod size; a derived axis is a
// function of several digits, and all others are plain. A layout's `table` has its digits and axes
// as numbers. A late size is known only at run time. A function that is deleted is an error
// message: the names of its template parameters say what is wrong. A refusal<D> in a function makes
// a call of it no constant expression, so that compilers name that function; checks_at_run_time is
// true in checked builds alone. numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/facts.h"
#include "spio/table_facts.h"

namespace spio {

// Whether no axis has a pitch, so that the axes follow each other without a gap in the order in
// which they are written.
template <class Table> constexpr bool is_dense(Table const& table) {
    for (int a = 0; a < table.axis_count; ++a) {
        if (table.axes[a].pitch != dense) return false;
    }
    return true;
}

template <class Layout> inline constexpr bool has_inverse = false;
template <auto... Axes>
inline constexpr bool has_inverse<layout<Axes...>> =
    (cell_facts_of<Axes>().are_distinct && ...) && is_nested(layout_table_of<Axes...>) &&
    reads_plain_axes(layout_table_of<Axes...>);
template <class Layout>
concept invertible = has_inverse<Layout>;

// Error messages: compilers name the function whose rule is broken.
template <class Layout> constexpr void an_offset_is_that_of_an_element(long long offset) {
    [[maybe_unused]] refusal<Layout> const numbers{offset};
}
template <class Dimension>
constexpr void a_stride_is_at_least_what_it_spans(long long stride, long long span) {
    [[maybe_unused]] refusal<Dimension> const numbers{stride, span};
}

// The axes of a layout from the greatest memory stride to the least.
template <int Count> struct axis_order {
    int axes[Count + 1] = {};
};
template <int Count, class Table> constexpr axis_order<Count> descending_axes(Table const& table) {
    axis_order<Count> order;
    for (int a = 0; a < Count; ++a) {
        int n = a;
        for (; n > 0 && table.memory_stride(order.axes[n - 1]) < table.memory_stride(a) &&
               has_static_strides(table);
             --n) {
            order.axes[n] = order.axes[n - 1];
        }
        order.axes[n] = a;
    }
    return order;
}

// The cell of a derived axis that has a place on it. A function may know: it has a member
//     constexpr int cell(int place, int const* read_digits) const;
template <auto Axis> constexpr int cell_at(int place, int const* read_digits, int read_cell) {
    if constexpr (requires { Axis.function.cell(place, read_digits); }) {
        return Axis.function.cell(place, read_digits);
    } else {
        int cell = 0;
        while (cell < Axis.size() && place_of_cell<Axis>(Axis, cell, read_cell) != place) ++cell;
        return cell;
    }
}

// Takes an offset to the position of the element that lies there: the same coordinates that
// range(tensor) has. It is for layouts whose elements have offsets of their own as far as the type
// shows. Pitches and sizes that a tensor brings may nest the axes in any order.
//     inverse<layout<i, k>>()(2 * 32 + 4) == I(2) + K(4)
template <class Layout> class inverse;
template <auto... Axes>
    requires invertible<layout<Axes...>>
class inverse<layout<Axes...>> {
    using shape_type = layout<Axes...>;
    using offset_type = typename shape_type::offset_type;
    static constexpr auto const& table = shape_type::table;
    static constexpr int rank = sizeof...(Axes);
    static constexpr auto order = descending_axes<rank>(table);
    // Whether `order` has the axes by their memory strides, whatever the run brings.
    static constexpr bool is_ordered = shape_type::is_static || is_dense(table);

  public:
    constexpr inverse() = default;
    constexpr explicit inverse(shape_type const& shape) : shape_(shape) {
        if constexpr (!is_ordered) {
            if (checks_at_run_time || __builtin_is_constant_evaluated()) {
                check_axes(numbers_below<rank>());
            }
        }
    }

    constexpr auto operator()(offset_type offset) const {
        int places[rank + 1] = {};
        int digits[table.digit_count + 1] = {};
        bool const is_element = split(numbers_below<rank>(), offset, places);
        if (!is_element && (checks_at_run_time || __builtin_is_constant_evaluated())) {
            an_offset_is_that_of_an_element<shape_type>(offset);
        }
        [&]<int... A>(numbers<A...>) {
            (set_plain<A>(places, digits), ...);
            (set_derived<A, Axes>(places, digits), ...);
        }(numbers_below<rank>());
        auto const found = [&]<int... N>(numbers<N...>) {
            return make_coordinates(value<table.nth_placed(N)>(digits)...);
        }(numbers_below<table.placed_count()>());
        if constexpr (positions<shape_type>::may_overhang()) {
            if (!(found < shape_.extents()) &&
                (checks_at_run_time || __builtin_is_constant_evaluated())) {
                an_offset_is_that_of_an_element<shape_type>(offset);
            }
        }
        return found;
    }

  private:
    // The places of an offset on all axes. False if no element lies there.
    template <int... N> constexpr bool split(numbers<N...>, offset_type rest, int* places) const {
        bool is_element = rest >= 0;
        if constexpr (is_ordered) {
            (take<order.axes[N]>(rest, places, is_element), ...);
        } else {
            offset_type const strides[] = {stride<N>()..., 0};
            int const counts[] = {shape_.template count<N>()..., 0};
            bool is_taken[rank + 1] = {};
            for (int n = 0; n < rank; ++n) {
                int const axis = widest(strides, is_taken);
                is_taken[axis] = true;
                // Any stride may stand where there is one step.
                if (counts[axis] != 1) {
                    places[axis] = take(strides[axis], counts[axis], rest, is_element);
                }
            }
        }
        return is_element && rest == 0;
    }
    template <int A> constexpr void take(offset_type& rest, int* places, bool& is_element) const {
        constexpr bool is_single = table.axes[A].size == 1 && !table.axes[A].is_dynamic;
        if constexpr (!is_single) {
            places[A] = take(stride<A>(), shape_.template count<A>(), rest, is_element);
        }
    }
    // Takes the whole steps of an axis from what is left of an offset.
    static constexpr int take(offset_type stride, int count, offset_type& rest, bool& is_element) {
        offset_type const place = quotient(rest, stride);
        rest -= place * stride;
        is_element &= place < count;
        return static_cast<int>(place);
    }
    // The axis of the greatest stride that is not taken.
    static constexpr int widest(offset_type const* strides, bool const* is_taken) {
        int found = -1;
        for (int a = 0; a < rank; ++a) {
            if (!is_taken[a] && (found < 0 || strides[a] > strides[found])) found = a;
        }
        return found;
    }
    template <int A> constexpr offset_type stride() const {
        return static_cast<offset_type>(shape_.template memory_stride<A>());
    }
    // Whether an axis has several steps, and wider ones than another axis.
    template <int A, int Other> constexpr bool is_wider() const {
        return shape_.template count<A>() > 1 && stride<A>() > stride<Other>();
    }
    // Offsets are not negative. (An axis of dynamic size 0 makes strides of 0, and has no element.)
    static constexpr offset_type quotient(offset_type offset, offset_type stride) {
        if (stride == 0) return 0;
        if constexpr (sizeof(offset_type) == sizeof(int)) {
            return static_cast<int>(static_cast<unsigned>(offset) / static_cast<unsigned>(stride));
        } else {
            return stride == 1 ? offset : offset / stride;
        }
    }

    template <int... A> constexpr void check_axes(numbers<A...> axes) const {
        bool const is_empty = (false || ... || (shape_.template count<A>() == 0));
        if (!is_empty) (check_axis<A>(axes), ...);
    }
    // A step along an axis has to leave all elements behind that axes of lesser strides span.
    template <int A, int... B> constexpr void check_axis(numbers<B...>) const {
        if (shape_.template count<A>() <= 1) return;
        long long const span = (1LL + ... + (is_wider<B, A>() || A == B ? 0 : length_along<B>()));
        if (stride<A>() < span) {
            using dimension = digit_base<table.first_digit(A)>;
            a_stride_is_at_least_what_it_spans<dimension>(stride<A>(), span);
        }
    }
    // The distance in memory between the first step of an axis and its last.
    template <int A> constexpr long long length_along() const {
        return 1LL * (shape_.template count<A>() - 1) * stride<A>();
    }
    template <int D>
    using digit_base = typename nth<typename shape_type::bases, table.digits[D].base>::type;

    template <int A> static constexpr void set_plain(int const* places, int* digits) {
        if constexpr (table.axes[A].is_plain) digits[table.first_digit(A)] = places[A];
    }
    template <int A, auto Axis> static constexpr void set_derived(int const* places, int* digits) {
        if constexpr (!table.axes[A].is_plain) {
            constexpr int first = table.first_digit(A);
            constexpr int placed = sizeof(Axis.placed_digits) / sizeof(Axis.placed_digits[0]);
            int read_digits[Axis.num_digits + 1] = {};
            int read_cell = 0;
            for (int d = placed; d < Axis.num_digits; ++d) {
                digit_row const& row = table.digits[first + d];
                int const read_digit = position_in_units(row.base, digits) / row.stride % row.size;
                read_digits[d - placed] = read_digit;
                read_cell = read_cell * row.size + read_digit;
            }
            int cell = cell_at<Axis>(places[A], read_digits, read_cell);
            for (int d = placed; d-- > 0; cell /= table.digits[first + d].size) {
                digits[first + d] = cell % table.digits[first + d].size;
            }
        }
    }
    // The position in a base, all of whose digits are on plain axes.
    static constexpr int position_in_units(int base, int const* digits) {
        int sum = 0;
        for (int d = 0; d < table.digit_count; ++d) {
            digit_row const& row = table.digits[d];
            if (row.is_placed && row.base == base) sum += digits[d] * row.stride;
        }
        return sum;
    }
    template <int D> static constexpr auto value(int const* digits) {
        return value_of_digit<shape_type, D>(digits[D]);
    }

    shape_type shape_;
};

// The position of the element of a tensor at an offset, in elements from the first one:
// position(t, t[p].offset()) == p for every position p of the tensor.
template <class Data, auto... Axes>
    requires invertible<layout<Axes...>>
constexpr auto position(tensor<Data, Axes...> const& t,
                        typename layout<Axes...>::offset_type offset) {
    return inverse<layout<Axes...>>(t.shape())(offset);
}
template <class Data, auto... Axes, class ElementsShareOffsets>
    requires(!invertible<layout<Axes...>>)
void position(tensor<Data, Axes...> const&, ElementsShareOffsets) = delete;

} // namespace spio
