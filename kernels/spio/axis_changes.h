// Changes of axes: what the axes of a view are, given those of its tensor.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. An axis
// counts a digit of a position in its base, floor(position / stride) mod size; a derived axis is a
// function of several digits, and all others are plain. A view is a tensor of the same elements
// under other axes. A layout's `table` has its digits and axes as numbers. A dynamic size, called
// late, is known only when the tensor is made. numbers_below<n> is the list of 0 to n - 1.
// pinned(axis, stride) is the axis with this stride in memory. A base is linear if one plain axis,
// no ring, places all of it.
#pragma once

#include "spio/derived.h"
#include "spio/tiles.h"

namespace spio {

// A change is a type with three members. is_possible<Shape> says whether the layout Shape admits
// it. replace<Shape, A, Axis>() is the list of axes that stand in the view for Axis, number A of
// Shape. extent<Base>(shape) is the size of a dynamic base of the view. A view keeps the strides of
// its tensor; the axes around those that change stay as they are written.
template <class Change, auto... Axes> struct change_of {
    using shape = layout<Axes...>;
    template <class> struct replaced;
    template <int... A> struct replaced<numbers<A...>> {
        using type =
            typename concatenated<decltype(Change::template replace<shape, A, Axes>())...>::type;
    };
    using axes = typename replaced<numbers_below<sizeof...(Axes)>>::type;
};
// Whether the change is possible for the tensor and gives a valid layout.
template <class Change, class Tensor> inline constexpr bool changes = false;
template <class Change, class Data, auto... Axes>
    requires(Change::template is_possible<layout<Axes...>>)
inline constexpr bool changes<Change, tensor<Data, Axes...>> =
    change_of<Change, Axes...>::axes::is_layout;
template <class Tensor, class Change>
concept changed_by = changes<Change, Tensor>;

// Writes the size of one base of the view to its extents if that size is known at run time alone.
template <class Change, class View, class Base, class Shape>
constexpr void set_late(typename View::extents_type& values, Shape const& shape) {
    constexpr int base = View::template base<Base>;
    if constexpr (View::table.is_dynamic(base)) {
        values.values[View::table.dynamic_before(base)] = Change::template extent<Base>(shape);
    }
}
// The view of a tensor that a possible change makes.
template <class Change, class Data, auto... Axes>
constexpr auto changed(tensor<Data, Axes...> const& t) {
    using view = typename change_of<Change, Axes...>::axes::template tensor<Data>;
    using shape = typename view::layout_type;
    typename shape::extents_type values;
    [&]<class... Bases>(mp_list<Bases...>) {
        (set_late<Change, shape, Bases>(values, t.shape()), ...);
    }(typename shape::bases());
    if constexpr (shape::table.pitch_count > 0) {
        static_assert(shape::table.pitch_count == layout<Axes...>::table.pitch_count);
        for (int n = 0; n < shape::table.pitch_count; ++n) values.pitches[n] = t.shape().pitches[n];
    }
    return view(t.get(), shape(values));
}

// What most changes have in common: each is of one base, whose digits are all on plain axes.
struct change {
    template <class Base, class Shape> static constexpr int extent(Shape const& shape) {
        return shape.template extent_in_units<Shape::template base<Base>>();
    }
    template <class Shape, class Base> static consteval bool is_plain_base() {
        if constexpr (contains<typename Shape::bases, Base>) {
            for (int d = 0; d < Shape::table.digit_count; ++d) {
                digit_row const& row = Shape::table.digits[d];
                if (row.base == Shape::template base<Base> && !Shape::table.axes[row.axis].is_plain)
                    return false;
            }
            return true;
        } else {
            return false;
        }
    }
    // Plain, and of a size known at compile time.
    template <class Shape, class Base> static consteval bool is_static_base() {
        return is_plain_base<Shape, Base>() &&
               !Shape::table.is_dynamic(position_in<Base>(typename Shape::bases()));
    }
    // Whether New can be the name of a base when Old is one no longer.
    template <class Shape, class New, class... Old>
    static constexpr bool is_free =
        base_dimension<New> && (!contains<typename Shape::bases, New> || (same<New, Old> || ...));
    template <auto Axis> static consteval auto unchanged() { return axis_list<Axis>(); }
    // Whether axis A counts this base.
    template <class Shape, int A, class Base> static consteval bool counts() {
        return Shape::table.digits[Shape::table.first_digit(A)].base == Shape::template base<Base>;
    }
    // An axis of Dimension in place of axis a; `pitch` is its stride in memory, in elements.
    template <class Dimension, class Axis>
    static consteval axis<Dimension> moved(Axis a, int stride, int size, long long pitch) {
        axis<Dimension> result(size);
        result.stride = stride;
        result.is_dynamic = a.is_dynamic;
        result.is_ring = a.is_ring;
        result.memory_stride = pitch;
        return result;
    }
};

// The base From is called To.
template <class From, class To> struct renaming : change {
    template <class Shape>
    static constexpr bool is_possible =
        contains<typename Shape::bases, From> && change::is_free<Shape, To, From>;
    template <class Base, class Shape> static constexpr int extent(Shape const& shape) {
        return change::extent<either<same<Base, To>, From, Base>>(shape);
    }
    template <class D> using name = renamed<From, To, D>;
    template <class D> static consteval auto rename_axis(axis<D> a) {
        return moved<name<D>>(a, a.stride, a.size, a.memory_stride);
    }
    template <class Function, class... Placed, class... Read>
    static consteval auto
    rename_axis(derived_axis<Function, mp_list<Placed...>, mp_list<Read...>> a) {
        derived_axis<Function, mp_list<name<Placed>...>, mp_list<name<Read>...>> result{
            a.function, {}, {}, a.memory_stride};
        for (int d = 0; d < static_cast<int>(sizeof...(Placed)); ++d)
            result.placed_digits[d] = a.placed_digits[d];
        for (int d = 0; d < static_cast<int>(sizeof...(Read)) + 1; ++d)
            result.read_digits[d] = a.read_digits[d];
        return result;
    }
    template <class Shape, int A, auto Axis> static consteval auto replace() {
        return axis_list<rename_axis(Axis)>();
    }
};

// The function of a derived axis that counts from its last step to its first.
struct mirror {
    int size; // steps of the axis

    template <index D> constexpr int operator()(D position) const {
        return size - 1 - position.value;
    }
    // The cell that lies at a place, and whether no two cells have the same place.
    constexpr int cell(int place, int const*) const { return size - 1 - place; }
    constexpr bool is_permutation(digit const*, digit const*) const { return true; }
};
// The positions of Base from the last to the first.
template <class Base> struct reversal : change {
    template <class Shape>
    static constexpr bool is_possible = change::is_static_base<Shape, Base>();
    template <class Shape, int A, auto Axis> static consteval auto replace() {
        if constexpr (counts<Shape, A, Base>()) {
            using dimension = typename decltype(Axis)::dimension;
            return axis_list<derived_axis<mirror, mp_list<dimension>, mp_list<>>{
                {Axis.size}, {Axis.as_digit()}, {no_digit}, Axis.memory_stride}>();
        } else {
            return unchanged<Axis>();
        }
    }
};

// Every N-th position: the finest axis has fewer steps, which are farther apart.
template <class Base, int N> struct thinning : change {
    template <class Shape> static consteval int finest_axis() {
        constexpr int base = position_in<Base>(typename Shape::bases());
        constexpr auto const& table = Shape::table;
        return table.digits[table.find(base, table.finest_stride(base))].axis;
    }
    template <class Shape> static consteval bool is_thinned() {
        if constexpr (change::is_plain_base<Shape, Base>() && N > 0 &&
                      has_static_strides(Shape::table)) {
            constexpr int base = Shape::template base<Base>;
            constexpr int finest = finest_axis<Shape>();
            return Shape::table.memory_stride(finest) <= (1LL << 62) / N &&
                   (Shape::table.is_linear(base) || Shape::table.axes[finest].size % N == 0);
        } else {
            return false;
        }
    }
    template <class Shape> static constexpr bool is_possible = is_thinned<Shape>();

    template <class Other, class Shape> static constexpr int extent(Shape const& shape) {
        int const extent = change::extent<Other>(shape);
        return same<Other, Base> ? divup(extent, N) : extent;
    }
    template <class Shape, int A, auto Axis> static consteval auto replace() {
        constexpr long long stride = Shape::table.memory_stride(A);
        if constexpr (!counts<Shape, A, Base>()) {
            return axis_list<pinned(Axis, stride)>();
        } else if constexpr (A != finest_axis<Shape>()) {
            using dimension = typename decltype(Axis)::dimension;
            constexpr bool is_unit = Axis.size == 1 && !Axis.is_dynamic;
            constexpr int steps = is_unit && Axis.stride % N != 0 ? Axis.stride : Axis.stride / N;
            return axis_list<moved<dimension>(Axis, steps, Axis.size, stride)>();
        } else if constexpr (Axis.size == N &&
                             !Shape::table.is_linear(Shape::template base<Base>)) {
            return axis_list<>();
        } else {
            using dimension = typename decltype(Axis)::dimension;
            return axis_list<moved<dimension>(Axis, Axis.stride, divup(Axis.size, N),
                                              stride * N)>();
        }
    }
};

} // namespace spio
