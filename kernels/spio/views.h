// Views: a part of a tensor along one dimension, and a tensor read as vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace spio {

template <auto... Axes> struct axis_list {
    template <class Data> using tensor = spio::tensor<Data, Axes...>;
};
template <class A, class B> struct joined;
template <auto... As, auto... Bs> struct joined<axis_list<As...>, axis_list<Bs...>> {
    using type = axis_list<As..., Bs...>;
};
template <class... Lists> struct concatenated {
    using type = axis_list<>;
};
template <class First, class... Rest> struct concatenated<First, Rest...> {
    using type = typename joined<First, typename concatenated<Rest...>::type>::type;
};

// pinned: the axis with an explicit memory stride, in elements. resized: with another size as well.
// widened: the axis counted in vectors of n elements.
template <class Axis> constexpr Axis pinned(Axis a, long long memory_stride) {
    a.memory_stride = memory_stride;
    return a;
}
template <class Axis> constexpr Axis resized(Axis a, int size, long long memory_stride) {
    if constexpr (is_plain_axis<Axis>) a.size = size;
    return pinned(a, memory_stride);
}
template <class Axis> constexpr Axis widened(Axis a, int n, long long memory_stride) {
    if constexpr (is_plain_axis<Axis>) {
        a.size /= n;
        a.stride *= n;
    }
    return pinned(a, memory_stride);
}

// The axes of a part of a layout. The part spans Size steps of the dimension Start. Positions in
// the part start at zero, so it must begin at whole blocks of the coarsest axis of the base.
template <class Start, int Size, auto... Axes> struct cut {
    using shape = layout<Axes...>;
    static constexpr auto const& table = layout_table_of<Axes...>;
    static constexpr int base = shape::template base<base_of<Start>>;
    static constexpr int unit = table.free_stride(base);
    static constexpr bool is_possible =
        Size > 0 && !table.is_dynamic(base) && unit > 0 && stride_of<Start> % max(unit, 1) == 0 &&
        1LL * Size* stride_of<Start> <= table.extent(base) && table.has_static_strides();

    template <class> struct part;
    template <int... A> struct part<numbers<A...>> {
        static constexpr digit_row top = table.digits[table.coarsest(base)];
        static constexpr int size = Size * (stride_of<Start> / top.stride);
        using type = axis_list<(A == top.axis ? resized(Axes, size, table.memory_stride(A))
                                              : pinned(Axes, table.memory_stride(A)))...>;
    };
    using axes = typename part<numbers_below<sizeof...(Axes)>>::type;
};

template <class Start, int Size, class Tensor> inline constexpr bool cuts = false;
template <class Start, int Size, class Data, auto... Axes>
    requires contains<layout_bases<Axes...>, base_of<Start>>
inline constexpr bool cuts<Start, Size, tensor<Data, Axes...>> =
    cut<Start, Size, Axes...>::is_possible;

// The part of a tensor that is Size steps of one dimension long.
//     slice<4>(t, H(20))       H(20) … H(23), which are H(0) … H(3) of the slice
template <int Size, index Start, class Data, auto... Axes>
    requires cuts<Start, Size, tensor<Data, Axes...>>
constexpr auto slice(tensor<Data, Axes...> const& t, Start start) {
    using part = typename cut<Start, Size, Axes...>::axes::template tensor<Data>;
    return part(t[start].get(), typename part::layout_type(t.shape()));
}
template <int Size, index CannotBeCut, class Tensor>
    requires(!cuts<CannotBeCut, Size, Tensor>)
Tensor slice(Tensor const&, CannotBeCut) = delete;

// The axes of a layout whose elements are vectors of N: the innermost axis is folded by N.
template <int N, auto... Axes> struct widen {
    static constexpr auto const& table = layout_table_of<Axes...>;
    static constexpr int innermost = table.innermost();

    // Whether N adjacent elements always form a vector: N divides the size of the innermost axis
    // and the memory strides, in elements, of all other axes with more than one step.
    static constexpr bool is_divisible() {
        if (table.axes[innermost].is_dynamic || !table.has_static_strides()) return false;
        digit_row const inner = table.digits[table.first_digit(innermost)];
        if (inner.size % N != 0) return false;
        for (int a = 0; a < table.axis_count; ++a) {
            bool const is_unused = a == innermost || table.axes[a].size == 1;
            if (!is_unused && table.memory_stride(a) % N != 0) return false;
        }
        // A derived axis must not tell the elements of a vector apart: the digits that it only
        // reads must count whole vectors.
        for (int d = 0; d < table.digit_count; ++d) {
            digit_row const& row = table.digits[d];
            if (row.base == inner.base && !row.is_placed && row.stride % (inner.stride * N)) {
                return false;
            }
        }
        return true;
    }
    static constexpr bool is_possible = [] {
        if constexpr (innermost < 0) {
            return false;
        } else {
            return is_divisible();
        }
    }();

    template <class> struct vectors;
    template <int... A> struct vectors<numbers<A...>> {
        template <int Axis, auto Value> static constexpr auto keep() {
            if constexpr (Axis != innermost) {
                return axis_list<pinned(Value, table.memory_stride(Axis) / N)>();
            } else if constexpr (table.axes[innermost].size == N) {
                return axis_list<>();
            } else {
                return axis_list<widened(Value, N, 1)>();
            }
        }
        using type = typename concatenated<decltype(keep<A, Axes>())...>::type;
    };
    using axes = typename vectors<numbers_below<sizeof...(Axes)>>::type;
};

template <class Vector, class Tensor> inline constexpr bool widens = false;
template <class Vector, class Data, auto... Axes>
inline constexpr bool widens<Vector, tensor<Data, Axes...>> = [] {
    constexpr bool keeps_const = !is_const<Data> || is_const<Vector>;
    if constexpr (keeps_const && sizeof(Vector) % sizeof(Data) == 0 &&
                  sizeof(Vector) > sizeof(Data)) {
        return widen<static_cast<int>(sizeof(Vector) / sizeof(Data)), Axes...>::is_possible;
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

} // namespace spio
