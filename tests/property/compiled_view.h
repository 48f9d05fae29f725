// A chain of views of a generated layout, as functions of plain numbers.
// SPDX-License-Identifier: Apache-2.0
//
// A view is a tensor over the same memory whose dimensions are renamed, reversed, split, joined or
// cut. A step of a chain that the compiler refuses is left out. Of compiled_layout.h: I, J, K and N
// are the layout's own dimensions, a glimpse is what a view says of a position, and `memory` is
// what all tensors point to. A cursor is a place in a tensor.
#pragma once

#include "compiled_layout.h"

// The dimensions that views make.
struct A : spio::dim {
    using dim::dim;
};
struct B : spio::dim {
    using dim::dim;
};

// View of x if there is one, and whether there is; else x.
template <class View, class Tensor>
auto seen_by(View const& view, Tensor const& x, bool& is_possible) {
    is_possible = requires { view(x); };
    if constexpr (requires { view(x); }) {
        return view(x);
    } else {
        return x;
    }
}

// The extent of a dimension, or -1 if the tensor has none of it.
template <class Dimension, class Tensor> int extent_along(Tensor const& t) {
    if constexpr (requires { t.template extent<Dimension>(); }) {
        return t.template extent<Dimension>().get();
    } else {
        return -1;
    }
}
// What a view says of its extents and of the position p, a number for each dimension.
template <class Tensor> void look(Tensor const& t, int const* p, glimpse& g) {
    int const extents[] = {extent_along<I>(t), extent_along<J>(t), extent_along<K>(t),
                           extent_along<N>(t), extent_along<A>(t), extent_along<B>(t)};
    for (int n = 0; n < 6; ++n) g.extents[n] = extents[n];
    auto const cursor =
        t[spio::make_coordinates(I(p[0]), J(p[1]), K(p[2]), N(p[3]), A(p[4]), B(p[5]))];
    g.address = cursor.get() - memory;
    g.inbounds = cursor.inbounds();
}
