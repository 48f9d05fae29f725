// The tensors of a walk in global memory, in cells of a group's 8 channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/vector.h"

namespace spio::conv2d {

using half8 = vec<half, 8>;

// The walk of a launch: a constant where the image is known.
template <problem Problem> constexpr walk walk_at(walk_arguments const& is) {
    walk way = walk_of(Problem);
    if constexpr (!Problem.knows_image()) {
        way.h = is.from.template extent<H>().get();
        way.w = is.from.template extent<W>().get();
        way.p = is.to.template extent<P>().get();
        way.q = is.to.template extent<Q>().get();
    }
    return way;
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

    static constexpr read read_from(walk_arguments const& is) { return sized<read, H, W>(is.from); }
    static constexpr made made_at(walk_arguments const& is) { return sized<made, P, Q>(is.to); }

  private:
    // With the sizes that are not known from its type.
    template <class Cells, class Row, class Column, class Tensor>
    static constexpr Cells sized(Tensor const& t) {
        auto* const cells = reinterpret_cast<typename Cells::data_type*>(t.get());
        if constexpr (knows_n) {
            return Cells(cells);
        } else if constexpr (knows_image) {
            return Cells(cells, t.template extent<N>());
        } else {
            return Cells(cells, t.template extent<N>(), t.template extent<Row>(),
                         t.template extent<Column>());
        }
    }
};

} // namespace spio::conv2d
