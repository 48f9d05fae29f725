// A layout that generate.py wrote, as functions of plain numbers, beside its description.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. The description is what the reference in model.h reads; the functions show
// what the library makes of the same axes.
#pragma once

#include <string>
#include <vector>

#include "model.h"

import spio.dims;

// The error of a base cursor after a move, in elements, if the move compiles.
struct committed_move {
    bool compiles = false;
    long long apart = 0;
};

// The end of a walk (subscripts and steps of a cursor, one after the other), and the moves of base
// cursors that were tried there. A base cursor is a pointer that whole blocks move.
struct arrival {
    long long offset = 0;
    long long address = 0;
    bool inbounds = false;
    committed_move moves[2];
};

// What a tensor answers about its sizes, strides and properties.
struct portrait {
    long long size = 0;
    long long storage_size = 0;
    bool is_wide = false; // whether offsets have 64 bits
    bool is_injective = false;
    int vector_width = 1;
    bool is_wide_as_vectors = false;
    bool is_wider_as_vectors = false;
    bool absent_is_refused = false;
    int extents[4] = {};       // of extents()
    int exact_extents[4] = {}; // of extent<Base>()
    int sizes[24] = {};        // of size<D>(), one for each digit that is placed
};

// A position that range(tensor) yields, and its offset.
struct visit {
    int position[4];
    long long offset;
    bool leads_back =
        true; // the offset leads back to the position, where the layout has an inverse
};

// A walk as a function, with its description for the reference, and its C++.
struct compiled_walk {
    char const* terms;
    char const* text;
    arrival (*go)(int const* sizes, int const* values);
};

// What a chain of views says of a position: which of the views the compiler takes, the extents
// along I, J, K, N, A and B (-1: there is no such dimension), and the element's place in memory.
struct glimpse {
    bool is_possible[4] = {}; // for each view of the chain
    int extents[6] = {};
    long long address = 0;
    bool inbounds = false;
};
// A chain of views, one of the other, with its description for the reference.
struct compiled_chain {
    std::vector<char const*> steps;
    glimpse (*see)(int const* sizes, int const* starts, int const* position);
};

// A layout as functions of the sizes of its dynamic dimensions, with its C++, and its description.
struct compiled_layout {
    char const* text;
    char const* model;
    portrait (*describe)(int const* sizes);
    std::vector<visit> (*visit_all)(int const* sizes);
    std::vector<visit> (*visit_vectors)(int const* sizes); // offsets of their first elements
    std::vector<compiled_walk> walks;
    std::vector<char const*> moves; // "K 8": tried at the end of the first walk
    std::vector<compiled_chain> chains;
    char const* order; // the layout's digits as plain axes of another order
    std::vector<visit> (*visit_order)(int const* sizes);
};

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
struct Absent : spio::dim {
    using dim::dim;
};

// The tensors point to this memory, but nothing is read or written.
inline char memory[1 << 16];

// Moves the cursor's base cursor n steps of D, where that compiles, and compares with the cursor.
template <class D, class Cursor> committed_move commit(Cursor const& cursor, int n) {
    if constexpr (requires { cursor.rebase().step(D(n)); }) {
        return {true, cursor.rebase().step(D(n)).get() - cursor[D(n)].get()};
    } else {
        return {};
    }
}

// What a walk's end says of itself, and the moves tried there.
template <class... Moves, class Cursor> arrival arrive(Cursor const& cursor, int n) {
    return {
        cursor.offset(), cursor.get() - memory, cursor.inbounds(), {commit<Moves>(cursor, n)...}};
}

// The vectors of N elements, of one byte each, that a tensor may be read as.
template <int N> struct chars {
    char items[N];
};
template <class Tensor, int N>
concept is_read_as = requires { typename spio::vectors_of<chars<N>, Tensor>; } &&
                     requires(Tensor t) { spio::as_vectors<chars<N>>(t); };
template <class Tensor>
inline constexpr int width_of = [] {
    if constexpr (Tensor::layout_type::is_static) {
        return spio::vector_width(Tensor());
    } else {
        return spio::vector_width(Tensor(nullptr, typename Tensor::layout_type()));
    }
}();

template <class Tensor>
concept takes_absent = requires(Tensor t) { t[Absent(1)]; };

// What the compiler makes of a tensor: its sizes and predicates.
template <class... Bases> struct with_bases {
    template <class... Digits, class Tensor> static portrait describe(Tensor const& t) {
        constexpr int width = width_of<Tensor>;
        return {.size = t.size(),
                .storage_size = t.storage_size(),
                .is_wide = sizeof(typename Tensor::offset_type) == 8,
                .is_injective = spio::is_injective<Tensor>,
                .vector_width = spio::vector_width(t),
                .is_wide_as_vectors = width == 1 || is_read_as<Tensor, width>,
                .is_wider_as_vectors = is_read_as<Tensor, 2 * width>,
                .absent_is_refused = !takes_absent<Tensor>,
                .extents = {spio::unfold(t.extents().template total<Bases>()).get()...},
                .exact_extents = {t.template extent<Bases>().get()...},
                .sizes = {t.template size<Digits>().get()...}};
    }

    // The positions and offsets of all elements, in the order of a range; below, in that of some
    // axes, and by vectors.
    template <class Tensor> static std::vector<visit> visit_all(Tensor const& t) {
        std::vector<visit> visits;
        for (auto const place : range(t)) {
            visits.push_back(
                {{spio::unfold(place.template total<Bases>()).get()...}, t[place].get() - memory});
            if constexpr (requires { position(t, 0); }) {
                visits.back().leads_back = is_found(t, place);
            }
        }
        return visits;
    }

    template <auto... Axes, class Tensor> static std::vector<visit> visit_order(Tensor const& t) {
        std::vector<visit> visits;
        for (auto const place : spio::range<Axes...>(t)) {
            visits.push_back(
                {{spio::unfold(place.template total<Bases>()).get()...}, t[place].get() - memory});
        }
        return visits;
    }

    // Whether the position that an offset leads to is this place. A place without dimensions
    // compares with no other, and counts as found.
    template <class Tensor, class Place> static bool is_found(Tensor const& t, Place const& place) {
        auto const found = position(t, t[place].offset());
        return Place::num_dims() == 0 ||
               ((found.template total<Bases>() == place.template total<Bases>()) && ...);
    }

    // A dimension that is a single vector is no dimension of the vectors: its position is 0.
    template <class Base, class Place> static int coordinate_of(Place const& place) {
        if constexpr (requires { place.template total<Base>(); }) {
            return spio::unfold(place.template total<Base>()).get();
        } else {
            return 0;
        }
    }
    template <class Tensor> static std::vector<visit> visit_vectors(Tensor const& t) {
        std::vector<visit> visits;
        constexpr int width = width_of<Tensor>;
        if constexpr (is_read_as<Tensor, width>) {
            auto const vectors = spio::as_vectors<chars<width>>(t);
            for (auto const place : range(vectors)) {
                visits.push_back(
                    {{coordinate_of<Bases>(place)...}, 1LL * width * vectors[place].offset()});
            }
        }
        return visits;
    }
};
