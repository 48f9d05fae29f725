// Views: a part of a tensor along one dimension. vectors.h has tensors that are read as vectors.
// SPDX-License-Identifier: Apache-2.0
//
// numbers<A...> is a list of ints. pinned(axis, stride) is the axis with this stride in memory, and
// resized(axis, size, stride) has another number of steps too. origin() is a tensor's cursor at
// position zero. A refusal<D> in a function makes a call of it no constant expression, so that
// compilers name that function; checks_at_run_time is true in checked builds alone. Of an index
// type T, such as fold<K, 8>, base_of<T> is the dimension that it counts and stride_of<T> the size
// of its steps. numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/vectors.h"

namespace spio {

// The axes of a part of a layout. A base is a dimension without its folds: H is the base of H8. A
// digit is what one axis counts of its base. The part spans Size steps of the dimension Start.
// Positions in the part start at zero, so it must begin at whole blocks of the coarsest axis of the
// base.
template <class Start, int Size, auto... Axes> struct cut {
    using shape = layout<Axes...>;
    static constexpr auto const& table = layout_table_of<Axes...>;
    static constexpr int base = shape::template base<base_of<Start>>; // its number in the table
    // A part starts at a multiple of so many base units, the blocks of the coarsest axis; 0 if
    // there is no such unit.
    static constexpr int unit = free_stride(table, base);
    static constexpr bool is_possible = Size > 0 && !table.is_dynamic(base) && unit > 0 &&
                                        stride_of<Start> % max(unit, 1) == 0 &&
                                        1LL * Size* stride_of<Start> <= table.extent(base) &&
                                        has_static_strides(table);

    template <class> struct part;
    template <int... A> struct part<numbers<A...>> {
        // The coarsest axis alone gets another size. All axes keep their strides in memory.
        static constexpr digit_row top = table.digits[table.coarsest(base)];
        static constexpr int size = Size * (stride_of<Start> / top.stride);
        using type = axis_list<(A == top.axis ? resized(Axes, size, table.memory_stride(A))
                                              : pinned(Axes, table.memory_stride(A)))...>;
    };
    using axes = typename part<numbers_below<sizeof...(Axes)>>::type;
};

// Whether slice() can make such a part.
template <class Start, int Size, class Tensor> inline constexpr bool cuts = false;
template <class Start, int Size, class Data, auto... Axes>
    requires contains<layout_bases<Axes...>, base_of<Start>>
inline constexpr bool cuts<Start, Size, tensor<Data, Axes...>> =
    cut<Start, Size, Axes...>::is_possible;

// Error messages: compilers name the function whose rule is broken.
template <class Dimension> constexpr void a_slice_lies_in_its_tensor(int start, int extent) {
    [[maybe_unused]] refusal<Dimension> const numbers{start, extent};
}
template <class Dimension> constexpr void a_tile_starts_at_0_or_later(int start) {
    [[maybe_unused]] refusal<Dimension> const numbers{start};
}

// The pointer of a part, which has the derived axes of the tensor: what their functions add to the
// address of position zero is no part of it.
template <class Data, auto... Axes, index Start>
constexpr Data* start_of_part(tensor<Data, Axes...> const& t, Start start) {
    if constexpr (layout_table_of<Axes...>.is_plain()) {
        return t[start].get();
    } else {
        return t[start].get() - t.origin().offset();
    }
}

// The part of a tensor that is Size steps of one dimension long. It must lie in the tensor.
//     slice<4>(t, H(20))       H(20) … H(23), which are H(0) … H(3) of the slice
template <int Size, index Start, class Data, auto... Axes>
    requires cuts<Start, Size, tensor<Data, Axes...>>
constexpr auto slice(tensor<Data, Axes...> const& t, Start start) {
    using part = typename cut<Start, Size, Axes...>::axes::template tensor<Data>;
    if (checks_at_run_time || __builtin_is_constant_evaluated()) {
        int const last = t.template extent<Start>().value - Size;
        if (start.value < 0 || start.value > last) {
            a_slice_lies_in_its_tensor<Start>(start.value, last + Size);
        }
    }
    return part(start_of_part(t, start), typename part::layout_type(t.shape()));
}

} // namespace spio
