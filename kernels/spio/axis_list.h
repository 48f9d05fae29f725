// Axes as a list, from which views make their layouts.
// SPDX-License-Identifier: Apache-2.0
//
// A view is a tensor of the elements of another one under other axes; a layout places axes in
// memory.
#pragma once

#include "spio/tensor.h"

namespace spio {

// Some axes; is_layout tells whether a tensor can have them.
template <auto... Axes> struct axis_list {
    template <class Data> using tensor = spio::tensor<Data, Axes...>;
    static constexpr bool is_layout = no_problem<layout_problem_of<Axes...>>;
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
template <class Axis> constexpr Axis pinned(Axis a, long long memory_stride) {
    a.memory_stride = memory_stride;
    return a;
}
// The axis with another number of steps and another distance of them in memory.
template <class Axis> constexpr Axis resized(Axis a, int size, long long memory_stride) {
    if constexpr (is_plain_axis<Axis>) a.size = size;
    return pinned(a, memory_stride);
}
} // namespace spio
