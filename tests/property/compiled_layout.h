// A compiled layout as functions of plain numbers, beside its description.
// SPDX-License-Identifier: Apache-2.0
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

// The end of a walk, and the moves of base cursors tried there.
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
    bool is_wide = false;
    bool is_injective = false;
    int vector_width = 1;
    bool absent_is_refused = false;
    int extents[4] = {};       // of extents()
    int exact_extents[4] = {}; // of extent<Base>()
    int sizes[12] = {};        // of size<D>(), one for each digit that is placed
};

// A position that range(tensor) yields, and its offset.
struct visit {
    int position[4];
    long long offset;
};

struct compiled_walk {
    char const* terms;
    char const* text;
    arrival (*go)(int const* sizes, int const* values);
};

struct compiled_layout {
    char const* text;
    char const* model;
    portrait (*describe)(int const* sizes);
    std::vector<visit> (*visit_all)(int const* sizes);
    std::vector<compiled_walk> walks;
    std::vector<char const*> moves; // "K 8": tried at the end of the first walk
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

template <class D, class Cursor> committed_move commit(Cursor const& cursor, int n) {
    if constexpr (requires { cursor.rebase().step(D(n)); }) {
        return {true, cursor.rebase().step(D(n)).get() - cursor[D(n)].get()};
    } else {
        return {};
    }
}

template <class... Moves, class Cursor> arrival arrive(Cursor const& cursor, int n) {
    return {
        cursor.offset(), cursor.get() - memory, cursor.inbounds(), {commit<Moves>(cursor, n)...}};
}

template <class... Bases> struct with_bases {
    template <class... Digits, class Tensor> static portrait describe(Tensor const& t) {
        return {.size = t.size(),
                .storage_size = t.storage_size(),
                .is_wide = sizeof(typename Tensor::offset_type) == 8,
                .is_injective = spio::is_injective<Tensor>,
                .vector_width = spio::vector_width(t),
                .absent_is_refused = !requires {t[Absent(1)];
    }
    , .extents = {spio::unfold(t.extents().template total<Bases>()).get()...},
        .exact_extents = {t.template extent<Bases>().get()...}, .sizes = {
            t.template size<Digits>().get()...
        }
};
}

template <class Tensor> static std::vector<visit> visit_all(Tensor const& t) {
    std::vector<visit> visits;
    for (auto const place : range(t)) {
        visits.push_back(
            {{spio::unfold(place.template total<Bases>()).get()...}, t[place].get() - memory});
    }
    return visits;
}
}
;
