// Orders: the positions of a tensor in the order of other axes than its own.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension that is no fold: K of fold<K, 8>, which counts K in blocks of 8. An axis
// counts blocks of a base; a layout is some axes, outermost first. A layout's `table` has its
// digits and axes as numbers. A function that is deleted is an error message: the names of its
// template parameters say what is wrong.
#pragma once

#include "spio/boxes.h"
#include "spio/curves.h"
#include "spio/tensor.h"

namespace spio {

// Whether the axes of an order have the elements of a layout: the same dimensions, each as long,
// counted in steps of the same size, and known only at run time where the layout's are.
template <class Order, class Layout> struct order_check;
template <class Order, auto... Axes> struct order_check<Order, layout<Axes...>> {
    using shape = layout<Axes...>;
    template <class... Bases> static consteval bool passes(mp_list<Bases...>) {
        return sizeof...(Bases) == length(typename shape::bases()) && (has_base<Bases>() && ...);
    }
    template <class Base> static consteval bool has_base() {
        if constexpr (contains<typename shape::bases, Base>) {
            constexpr int a = Order::template base<Base>;
            constexpr int b = shape::template base<Base>;
            return Order::table.is_dynamic(a) == shape::table.is_dynamic(b) &&
                   (shape::table.is_dynamic(b) ||
                    Order::table.extent(a) == shape::table.extent(b)) &&
                   Order::table.finest_stride(a) == shape::table.finest_stride(b);
        } else {
            return false;
        }
    }
    static constexpr bool value = passes(typename Order::bases());
};
template <class Tensor, auto... Axes> inline constexpr bool orders_tensor = false;
template <class Data, auto... TensorAxes, auto First, auto... Rest>
    requires no_problem<layout_problem_of<First, Rest...>>
inline constexpr bool orders_tensor<tensor<Data, TensorAxes...>, First, Rest...> =
    layout<First, Rest...>::table.pitch_count == 0 &&
    order_check<layout<First, Rest...>, layout<TensorAxes...>>::value;

// The order with those sizes of a layout that are known only at run time.
template <class Order, class Base, class Layout>
constexpr void set_size(typename Order::extents_type& sizes, Layout const& shape) {
    constexpr int base = Order::template base<Base>;
    if constexpr (Order::table.is_dynamic(base)) {
        sizes.values[Order::table.dynamic_before(base)] =
            shape.template extent_in_units<Layout::template base<Base>>();
    }
}
template <class Order, class Layout, class... Bases>
constexpr Order with_sizes_of(Layout const& shape, mp_list<Bases...>) {
    typename Order::extents_type sizes;
    (set_size<Order, Bases>(sizes, shape), ...);
    return Order(sizes);
}

// Every position of a tensor once, in the order of other axes: the last one varies fastest.
//     for (auto p : range<k / 8, i, k % 8>(t)) …        blocks of 8 columns, one after the other
template <auto... Axes, class Tensor>
    requires orders_tensor<Tensor, Axes...>
constexpr auto range(Tensor const& t) {
    using order = layout<Axes...>;
    return positions<order>(with_sizes_of<order>(t.shape(), typename order::bases()));
}
template <auto... OnlyAxesOfTheTensor, class Tensor>
    requires(sizeof...(OnlyAxesOfTheTensor) > 0 && !orders_tensor<Tensor, OnlyAxesOfTheTensor...>)
void range(Tensor const&) = delete;

//     for_each<k / 8, i, k % 8>(t, [&](auto p) { … });
template <auto... Axes, class Tensor, class Function>
    requires orders_tensor<Tensor, Axes...>
constexpr void for_each(Tensor const& t, Function f) {
    using order = layout<Axes...>;
    positions<order>(with_sizes_of<order>(t.shape(), typename order::bases())).for_each(f);
}
template <auto... OnlyAxesOfTheTensor, class Tensor, class Function>
    requires(sizeof...(OnlyAxesOfTheTensor) > 0 && !orders_tensor<Tensor, OnlyAxesOfTheTensor...>)
void for_each(Tensor const&, Function) = delete;

} // namespace spio
