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
template <class Dimension, class Tensor> int extent_along(Tensor const& tensor) {
    if constexpr (requires { tensor.template extent<Dimension>(); }) {
        return tensor.template extent<Dimension>().get();
    } else {
        return -1;
    }
}
// What a view says of its extents and of the position, a number for each dimension.
template <class Tensor> void look(Tensor const& tensor, int const* position, glimpse& result) {
    int const extents[] = {extent_along<I>(tensor), extent_along<J>(tensor),
                           extent_along<K>(tensor), extent_along<N>(tensor),
                           extent_along<A>(tensor), extent_along<B>(tensor)};
    for (int n = 0; n < 6; ++n) result.extents[n] = extents[n];
    auto const cursor =
        tensor[spio::make_coordinates(I(position[0]), J(position[1]), K(position[2]),
                                      N(position[3]), A(position[4]), B(position[5]))];
    result.address = cursor.get() - memory;
    result.inbounds = cursor.inbounds();
}
