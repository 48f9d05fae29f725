// Vectors: a tensor whose adjacent elements are read together.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. An axis
// counts a digit of a position in its base, floor(position / stride) mod size; a derived axis is a
// function of several digits, and all others are plain. A layout's `table` has its digits and axes
// as numbers; a digit that is not placed is only an input of a derived axis. pinned(axis, stride)
// is the axis with that stride in memory, whatever is to its right. A function that is deleted is
// an error message: the names of its template parameters say what is wrong. numbers_below<n> is the
// list of 0 to n - 1.
#pragma once

#include "spio/axis_list.h"
#include "spio/table_facts.h"

namespace spio {

// Whether n adjacent elements always form a vector: they are successive positions of one dimension,
// and n divides the size of their axis and the memory strides of all other axes with more than one
// step, whatever the dynamic sizes are.
template <class Table> constexpr bool has_vectors(Table const& table, int n) {
    int const innermost = innermost_axis(table);
    if (innermost < 0 || table.axes[innermost].is_dynamic || table.pitch_count > 0) return false;
    digit_row const& inner = table.digits[table.first_digit(innermost)];
    if (inner.size % n != 0 || inner.stride != table.finest_stride(inner.base)) return false;
    for (int a = 0; a < table.axis_count; ++a) {
        bool const has_steps = table.axes[a].size > 1 || table.axes[a].is_dynamic;
        if (a != innermost && has_steps && stride_factor(table, a) % n != 0) return false;
    }
    // A derived axis must not tell the elements of a vector apart: the digits that it only reads
    // must count whole vectors.
    for (int d = 0; d < table.digit_count; ++d) {
        digit_row const& row = table.digits[d];
        bool const is_read = row.base == inner.base && !row.is_placed;
        if (is_read && row.stride % (1LL * inner.stride * n) != 0) return false;
    }
    return true;
}

// The axis counted in vectors of n elements.
template <class Axis> constexpr Axis widened(Axis a, int n) {
    if constexpr (is_plain_axis<Axis>) {
        a.size /= n;
        a.stride *= n;
    }
    return pinned(a, 1);
}

// The axes of a layout whose elements are vectors of N: the innermost axis is folded by N, or left
// out where it holds a single vector. The strides of axes to the left of a dynamic one follow.
template <int N, auto... Axes> struct widen {
    static constexpr auto const& table = layout_table_of<Axes...>;
    static constexpr int innermost = innermost_axis(table);

    template <class> struct vectors;
    template <int... A> struct vectors<numbers<A...>> {
        template <int Axis, auto Value> static constexpr auto keep() {
            constexpr long long stride = table.memory_stride(Axis);
            if constexpr (Axis != innermost) {
                return axis_list<pinned(Value, stride < 0 ? stride : stride / N)>();
            } else if constexpr (table.axes[innermost].size == N) {
                return axis_list<>();
            } else {
                return axis_list<widened(Value, N)>();
            }
        }
        using type = typename concatenated<decltype(keep<A, Axes>())...>::type;
    };
    using axes = typename vectors<numbers_below<sizeof...(Axes)>>::type;
};
// Whether the elements of a layout can be read as vectors of N.
template <int N, auto... Axes> consteval bool is_widened_by() {
    if constexpr (has_vectors(layout_table_of<Axes...>, N)) {
        return widen<N, Axes...>::axes::is_layout;
    } else {
        return false;
    }
}

// Whether a tensor can be read as Vectors.
template <class Vector, class Tensor> inline constexpr bool widens = false;
template <class Vector, class Data, auto... Axes>
inline constexpr bool widens<Vector, tensor<Data, Axes...>> = [] {
    constexpr bool keeps_const = !is_const<Data> || is_const<Vector>;
    if constexpr (keeps_const && sizeof(Vector) % sizeof(Data) == 0 &&
                  sizeof(Vector) > sizeof(Data)) {
        return is_widened_by<static_cast<int>(sizeof(Vector) / sizeof(Data)), Axes...>();
    } else {
        return false;
    }
}();

// The type of a tensor whose elements are read as vectors of several.
//     vectors_of<float4, tensor<float, i, j>>  is  tensor<float4, i, j / 4>
template <class Vector, class Tensor> struct vector_tensor;
template <class Vector, class Data, auto... Axes>
struct vector_tensor<Vector, tensor<Data, Axes...>> {
    using type = typename widen<static_cast<int>(sizeof(Vector) / sizeof(Data)),
                                Axes...>::axes::template tensor<Vector>;
};
template <class Vector, class Tensor>
    requires widens<Vector, Tensor>
using vectors_of = typename vector_tensor<Vector, Tensor>::type;

// The tensor read as vectors. Its pointer must be aligned for Vector.
template <class Vector, class Tensor>
    requires widens<Vector, Tensor>
constexpr auto as_vectors(Tensor const& t) {
    using view = vectors_of<Vector, Tensor>;
    return view(reinterpret_cast<Vector*>(t.get()), typename view::layout_type(t.shape()));
}
template <class NotAVectorOf, class Tensor>
    requires(!widens<NotAVectorOf, Tensor>)
Tensor as_vectors(Tensor const&) = delete;

// The number of elements in the widest vector, a power of two, that the tensor can be read as.
template <int N, auto... Axes> consteval int width_from() {
    if constexpr (N == 1 || is_widened_by<N, Axes...>()) {
        return N;
    } else {
        return width_from<N / 2, Axes...>();
    }
}
template <class Data, auto... Axes> constexpr int vector_width(tensor<Data, Axes...> const&) {
    constexpr int greatest = [] {
        int width = 1 << 30; // the greatest power of two that is an int
        while (width > 1 && !has_vectors(layout_table_of<Axes...>, width)) width /= 2;
        return width;
    }();
    return width_from<greatest, Axes...>();
}

} // namespace spio
