// The input and output of fprop and dgrad in global memory, in cells of a group's 8 channels.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. N, H, W, C are the images, rows,
// columns and channels of the input, N, P, Q, K those of the output, R and S the rows and columns
// of the filter. axis<D>(n) is the dimension D with n values. A tensor is a pointer with axes,
// outermost first. Problem, the sizes and options of a call, is known when a kernel is compiled.
#pragma once

#include "conv2d/problem.h"
#include "spio/list.h"
#include "spio/tile/vector.h"

namespace spio::conv2d {

template <element_type Type> struct element_of : type_is<half> {};
template <> struct element_of<element_type::bf16> : type_is<bfloat16> {};
template <problem Problem> using element = typename element_of<Problem.type>::type;
// The 8 channels of a group at a pixel: 16 bytes, which one instruction copies.
template <problem Problem> using cell = vec<element<Problem>, 8>;

// The sizes of a launch. They are compile-time constants where the kernel knows the image.
template <problem Problem>
constexpr correlation correlation_of(correlation_args<element_bits> const& args) {
    correlation sizes = correlation_of(Problem);
    if constexpr (!Problem.has_static_image()) {
        sizes.h = args.input.template extent<H>().get();
        sizes.w = args.input.template extent<W>().get();
        sizes.p = args.output.template extent<P>().get();
        sizes.q = args.output.template extent<Q>().get();
    }
    if constexpr (!Problem.has_static_layer()) {
        sizes.rows.pad = (sizes.p - sizes.h + Problem.extent_h() - 1) / 2;
        sizes.columns.pad = (sizes.q - sizes.w + Problem.extent_w() - 1) / 2;
    }
    return sizes;
}
// The groups of a launch: a compile-time constant where the kernel knows the channels.
template <problem Problem> constexpr int groups_of(int channels) {
    return Problem.has_static_layer() ? Problem.groups() : channels / group_width;
}
// The channels, or the most that a tensor may have where the kernel does not know them: the size of
// the slowest axis of a tensor, which enters no address.
constexpr int most_channels(problem const& problem) {
    return problem.has_static_layer() ? problem.c : most_channels_of_any_layer;
}

// An axis of a size that is known when the kernel is compiled, or of one that the launch passes.
template <index D> constexpr axis<D> static_or_dynamic(bool is_known, int size) {
    return is_known ? axis<D>(size) : axis<D>(dynamic);
}

template <problem Problem> struct tensors {
    static constexpr bool has_static_n = Problem.has_static_n();
    static constexpr bool has_static_image = Problem.has_static_image();
    static constexpr bool has_static_layer = Problem.has_static_layer();
    // The sizes that are known at compile time, and zeros for the others.
    static constexpr correlation sizes = correlation_of(Problem);

    static constexpr axis<N> n = static_or_dynamic<N>(has_static_n, Problem.n);
    static constexpr axis<H> h = static_or_dynamic<H>(has_static_image, sizes.h);
    static constexpr axis<W> w = static_or_dynamic<W>(has_static_image, sizes.w);
    static constexpr axis<P> p = static_or_dynamic<P>(has_static_image, sizes.p);
    static constexpr axis<Q> q = static_or_dynamic<Q>(has_static_image, sizes.q);
    static constexpr axis<C> c = static_or_dynamic<C>(has_static_layer, Problem.c);
    static constexpr axis<K> k = static_or_dynamic<K>(has_static_layer, Problem.c);

    using input = tensor<cell<Problem> const, n, h, w, c / 8>;
    using output = tensor<cell<Problem>, n, p, q, k / 8>;
    using residual = tensor<cell<Problem> const, n, p, q, k / 8>;

    static constexpr input input_of(correlation_args<element_bits> const& args) {
        return with_sizes<input, H, W, C>(args.input, args.input.get());
    }
    static constexpr output output_of(correlation_args<element_bits> const& args) {
        return with_sizes<output, P, Q, K>(args.output, args.output.get());
    }
    // Tensors of the size of the input or of the output.
    static constexpr input like_input(correlation_args<element_bits> const& args,
                                      void const* data) {
        return with_sizes<input, H, W, C>(args.input, data);
    }
    static constexpr residual like_output(correlation_args<element_bits> const& args,
                                          void const* data) {
        return with_sizes<residual, P, Q, K>(args.output, data);
    }
    static constexpr output like_output(correlation_args<element_bits> const& args, void* data) {
        return with_sizes<output, P, Q, K>(args.output, data);
    }

  private:
    // The tensor of cells, given the sizes that its type does not know.
    template <class Cells, class Row, class Column, class Channel, class Tensor, class Data>
    static constexpr Cells with_sizes(Tensor const& elements, Data* data) {
        auto* const cells = reinterpret_cast<typename Cells::data_type*>(data);
        if constexpr (has_static_n) {
            return Cells(cells);
        } else if constexpr (has_static_image) {
            return Cells(cells, elements.template extent<N>());
        } else if constexpr (has_static_layer) {
            return Cells(cells, elements.template extent<N>(), elements.template extent<Row>(),
                         elements.template extent<Column>());
        } else {
            return Cells(cells, elements.template extent<N>(), elements.template extent<Row>(),
                         elements.template extent<Column>(), elements.template extent<Channel>());
        }
    }
};

} // namespace spio::conv2d
