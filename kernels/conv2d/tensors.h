// The tensors of a walk in global memory, in cells of a group's 8 channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d.h"
#include "spio/tile/vector.h"

namespace spio::conv2d {

using half8 = vec<half, 8>;

// The walk of a launch: a constant where the image is known.
template <problem Problem> constexpr walk walk_over(int n, int h, int w) {
    if constexpr (Problem.knows_image()) {
        return walk_of(Problem);
    } else {
        return walk_of(Problem.with(n, h, w));
    }
}

template <index D> constexpr axis<D> known_or_dynamic(bool is_known, int size) {
    return is_known ? axis<D>(size) : axis<D>(dynamic);
}

template <problem Problem> struct tensors {
    static constexpr bool knows_n = Problem.knows_n();
    static constexpr bool knows_image = Problem.knows_image();
    static constexpr walk known = walk_of(Problem);

    static constexpr axis<N> n = known_or_dynamic<N>(knows_n, Problem.n);
    static constexpr axis<H> h = known_or_dynamic<H>(knows_image, known.h);
    static constexpr axis<W> w = known_or_dynamic<W>(knows_image, known.w);
    static constexpr axis<P> p = known_or_dynamic<P>(knows_image, known.p);
    static constexpr axis<Q> q = known_or_dynamic<Q>(knows_image, known.q);
    static constexpr axis<C> c{Problem.c};
    static constexpr axis<K> k{Problem.c};

    using read = tensor<half8 const, n, h, w, c / 8>;
    using made = tensor<half8, n, p, q, k / 8>;

    template <class Tensor, class Row, class Column, class Element>
    static constexpr Tensor sized(Element* from, int images, Row rows, Column columns) {
        auto* const cells = reinterpret_cast<typename Tensor::data_type*>(from);
        if constexpr (knows_n) {
            return Tensor(cells);
        } else if constexpr (knows_image) {
            return Tensor(cells, N(images));
        } else {
            return Tensor(cells, N(images), rows, columns);
        }
    }
    static constexpr read read_from(half const* from, int images, walk const& way) {
        return sized<read>(from, images, H(way.h), W(way.w));
    }
    static constexpr made made_at(half* to, int images, walk const& way) {
        return sized<made>(to, images, P(way.p), Q(way.q));
    }
};

} // namespace spio::conv2d
