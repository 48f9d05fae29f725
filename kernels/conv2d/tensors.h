// The tensors of a walk in global memory, in cells of a group's 8 channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/vector.h"

namespace spio::conv2d {

using half8 = vec<half, 8>;

// The walk of a launch: a constant where the image is known.
template <problem Problem> constexpr correlation correlation_of(correlation_args const& args) {
    correlation correlation = correlation_of(Problem);
    if constexpr (!Problem.knows_image()) {
        correlation.h = args.input.template extent<H>().get();
        correlation.w = args.input.template extent<W>().get();
        correlation.p = args.output.template extent<P>().get();
        correlation.q = args.output.template extent<Q>().get();
    }
    return correlation;
}

template <index D> constexpr axis<D> known_or_dynamic(bool is_known, int size) {
    return is_known ? axis<D>(size) : axis<D>(dynamic);
}

template <problem Problem> struct tensors {
    static constexpr bool knows_n = Problem.knows_n();
    static constexpr bool knows_image = Problem.knows_image();
    static constexpr correlation known = correlation_of(Problem);

    static constexpr axis<N> n = known_or_dynamic<N>(knows_n, Problem.n);
    static constexpr axis<H> h = known_or_dynamic<H>(knows_image, known.h);
    static constexpr axis<W> w = known_or_dynamic<W>(knows_image, known.w);
    static constexpr axis<P> p = known_or_dynamic<P>(knows_image, known.p);
    static constexpr axis<Q> q = known_or_dynamic<Q>(knows_image, known.q);
    static constexpr axis<C> c{Problem.c};
    static constexpr axis<K> k{Problem.c};

    using read = tensor<half8 const, n, h, w, c / 8>;
    using made = tensor<half8, n, p, q, k / 8>;

    static constexpr read read_from(correlation_args const& args) {
        return sized<read, H, W>(args.input);
    }
    static constexpr made made_at(correlation_args const& args) {
        return sized<made, P, Q>(args.output);
    }

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
