// Tiles: parts of tensors whose sizes or strides only the run knows.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. An axis
// counts blocks of a base; a pitch is the distance in memory between two of its steps. A layout's
// `table` has its digits and axes as numbers. A function that is deleted is an error message: the
// names of its template parameters say what is wrong. checks_at_run_time is true in checked builds
// alone. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension that it counts and
// stride_of<T> the size of its steps. numbers_below<n> is the list of 0 to n - 1. pinned(axis,
// stride) is the axis with this stride in memory. cuts<Start, n, T> tells whether a slice of n
// steps can be cut from T, all of whose sizes and strides are known.
#pragma once

#include "spio/views.h"

namespace spio {

// The axes of a part that spans Size base units and starts at a value of type Start. It keeps the
// strides of the tensor: those that are not known now become pitches that the part brings. With a
// tail the part may be cut off by the end of the tensor, so that its size is dynamic.
template <class Start, int Size, bool HasTail, auto... Axes> struct late_cut {
    using shape = layout<Axes...>;
    static constexpr auto const& table = layout_table_of<Axes...>;
    static constexpr int base = shape::template base<base_of<Start>>;
    // A part starts at a multiple of so many base units.
    static constexpr int unit = free_stride(table, base);
    static constexpr digit_row top = table.digits[table.coarsest(base)];
    static constexpr bool is_possible = Size > 0 && unit > 0 &&
                                        stride_of<Start> % max(unit, 1) == 0 &&
                                        Size % top.stride == 0 && Size <= table.extent(base);

    template <class> struct part;
    template <int... A> struct part<numbers<A...>> {
        template <int Axis, auto Value> static constexpr auto cut() {
            constexpr long long stride = table.memory_stride(Axis);
            auto axis = pinned(Value, stride >= 0 ? stride : static_cast<long long>(dynamic_pitch));
            if constexpr (Axis == top.axis && is_plain_axis<decltype(axis)>) {
                axis.size = Size / top.stride;
                axis.is_dynamic = HasTail;
            }
            return axis;
        }
        using type = axis_list<cut<A, Axes>()...>;
    };
    using axes = typename part<numbers_below<sizeof...(Axes)>>::type;

    // The layout of the part, of which `extent` base units lie in the tensor.
    template <class Part> static constexpr Part shape_of(shape const& tensor_shape, int extent) {
        typename Part::extents_type values;
        set_extents<Part>(values, tensor_shape, extent, typename Part::bases());
        set_pitches<Part>(values, tensor_shape, numbers_below<sizeof...(Axes)>());
        return Part(values);
    }

  private:
    // Sets the extents of the part's dynamic bases: `extent` along the tile's base, those of the
    // tensor along all others.
    template <class Part, class... Bases>
    static constexpr void set_extents(auto& values, shape const& tensor_shape, int extent,
                                      mp_list<Bases...>) {
        (set_extent<Part, Part::template base<Bases>>(values, tensor_shape, extent), ...);
    }
    template <class Part, int Base>
    static constexpr void set_extent(auto& values, shape const& tensor_shape, int extent) {
        if constexpr (Part::table.is_dynamic(Base)) {
            values.values[Part::table.dynamic_before(Base)] =
                Base == base ? extent : tensor_shape.template extent_in_units<Base>();
        }
    }
    // Sets the pitches that the part's type does not know: those of the tensor.
    template <class Part, int... A>
    static constexpr void set_pitches(auto& values, shape const& tensor_shape, numbers<A...>) {
        (set_pitch<Part, A>(values, tensor_shape), ...);
    }
    template <class Part, int A>
    static constexpr void set_pitch(auto& values, shape const& tensor_shape) {
        if constexpr (Part::table.axes[A].pitch == dynamic_pitch) {
            values.pitches[Part::table.pitches_before(A)] =
                tensor_shape.template memory_stride<A>();
        }
    }
};

// Whether tile() can make such a part.
template <class Start, int Size, class Tensor> inline constexpr bool cuts_late = false;
template <class Start, int Size, class Data, auto... Axes>
    requires contains<layout_bases<Axes...>, base_of<Start>>
inline constexpr bool cuts_late<Start, Size, tensor<Data, Axes...>> =
    late_cut<Start, Size, /*HasTail=*/true, Axes...>::is_possible;

// The part of a tensor that is Size positions of one dimension long, or shorter at the end of the
// tensor: extent() and inbounds() of the tile know its tail.
//     tile<64>(x, fold<I, 64>(block))       I(64 * block) … are I(0) … I(63) of the tile
template <int Size, index Start, class Data, auto... Axes>
    requires cuts_late<Start, Size, tensor<Data, Axes...>>
constexpr auto tile(tensor<Data, Axes...> const& t, Start start) {
    using cut = late_cut<Start, Size, /*HasTail=*/true, Axes...>;
    using part = typename cut::axes::template tensor<Data>;
    if (start.value < 0 && (checks_at_run_time || __builtin_is_constant_evaluated())) {
        a_tile_starts_at_0_or_later<Start>(start.value);
    }
    int const rest = t.shape().template extent_in_units<cut::base>() - count<1>(start);
    int const extent = max(0, min(Size, rest));
    return part(start_of_part(t, start),
                cut::template shape_of<typename part::layout_type>(t.shape(), extent));
}

template <int Size, index CannotBeCut, class Tensor>
    requires(!cuts_late<CannotBeCut, Size, Tensor>)
Tensor tile(Tensor const&, CannotBeCut) = delete;

// A slice of a tensor whose sizes or strides only the run knows.
template <int Size, index Start, class Data, auto... Axes>
    requires(!cuts<Start, Size, tensor<Data, Axes...>> &&
             cuts_late<Start, Size * stride_of<Start>, tensor<Data, Axes...>>)
constexpr auto slice(tensor<Data, Axes...> const& t, Start start) {
    using cut = late_cut<Start, Size * stride_of<Start>, /*HasTail=*/false, Axes...>;
    using part = typename cut::axes::template tensor<Data>;
    int const extent = t.shape().template extent_in_units<cut::base>();
    if (checks_at_run_time || __builtin_is_constant_evaluated()) {
        if (start.value < 0 || count<1>(start) > extent - Size * stride_of<Start>) {
            a_slice_lies_in_its_tensor<Start>(count<1>(start), extent);
        }
    }
    return part(start_of_part(t, start),
                cut::template shape_of<typename part::layout_type>(t.shape(), Size));
}
template <int Size, index CannotBeCut, class Tensor>
    requires(!cuts<CannotBeCut, Size, Tensor> &&
             !cuts_late<CannotBeCut, Size * stride_of<CannotBeCut>, Tensor>)
Tensor slice(Tensor const&, CannotBeCut) = delete;

} // namespace spio
