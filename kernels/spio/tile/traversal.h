// A traversal: the positions of a tensor along some of its dimensions, by one number.
// SPDX-License-Identifier: Apache-2.0
//
// A base is a dimension, and fold<Base, n> counts it in blocks of n. A layout is the axes of a
// tensor. A linear index is one number for several indices, the last of which varies fastest. Of an
// index type T, such as fold<K, 8>, bound_of<T> is the number below which it stays (0: none).
#pragma once

#include "spio/compound_index.h"
#include "spio/layout.h"

namespace spio {

// The smallest step along a dimension that leads to another element of the tensor, and the index
// that counts such steps.
template <class Layout, class Base>
inline constexpr int finest_of = Layout::table.finest_stride(Layout::template base<Base>);
template <class Layout, class Base>
using step_of = bounded<fold<Base, finest_of<Layout, Base>>,
                        static_cast<int>(Layout::table.extent(Layout::template base<Base>) /
                                         finest_of<Layout, Base>)>;
template <class Layout, class Bases> struct traversal_over;
template <class Layout, class... Bases> struct traversal_over<Layout, mp_list<Bases...>> {
    using type = linear_index<step_of<Layout, Bases>...>;

    // The n-th position if every other row is traversed backwards. Where the row changes, the
    // column stays, so that one factor of a product stays in registers.
    static constexpr type serpentine(int n) {
        int row = 1;
        ((row = bound_of<step_of<Layout, Bases>>), ...);
        int const column = n % row;
        return type(n / row % 2 == 0 ? n : n - column + row - 1 - column);
    }
};

} // namespace spio
