// The reference of views: which element of a tensor an element of its view is, in plain numbers.
// SPDX-License-Identifier: Apache-2.0
//
// A view is a tensor over the same memory whose dimensions are renamed, reversed, split, joined or
// cut. A name is the place of a dimension in `view_dimensions`. A part of a dimension is a slice of
// `count` elements, a tile of at most so many, or a shift, which keeps all from its start on. The
// reference is called the oracle.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "model.h"

namespace oracle {

inline std::string const view_dimensions = "IJKNAB";
inline constexpr number absent = -1;

// One view, of a tensor with `extents`, a number for each of the dimensions above.
struct view_step {
    std::string kind;
    int names[3] = {};
    number count = 1;
    number stride = 1; // of the values that a part starts at
    number start = 0;
    std::vector<number> extents;

    // rename I A    every K 2    split K A B 8    join I K A    broadcast A 3    slice K 8 16
    static view_step parse(std::string const& text) {
        view_step v;
        std::istringstream words(text);
        std::string word;
        words >> v.kind;
        int const names = v.kind == "split" || v.kind == "join" ? 3 : v.kind == "rename" ? 2 : 1;
        for (int n = 0; n < names; ++n) {
            words >> word;
            v.names[n] = static_cast<int>(view_dimensions.find(word));
        }
        if (v.is_part()) words >> v.stride;
        words >> v.count;
        return v;
    }
    bool is_part() const { return kind == "slice" || kind == "tile" || kind == "shift"; }
    number extent(int n) const { return extents[names[n]]; }

    // The greatest start of a part, in steps of its stride; negative: there is none.
    number last_start() const {
        number const rest = extent(0) - (kind == "slice" ? count : 0);
        return rest < 0 ? -1 : rest / stride;
    }
    std::vector<number> new_extents() const {
        auto result = extents;
        for (int const name : names) {
            if (kind == "rename" || kind == "split" || kind == "join") result[name] = absent;
        }
        number const rest = extent(0) - start * stride;
        if (kind == "rename") {
            for (int n = 0; n < 6; ++n) result[n] = extents[n];
            result[names[0]] = absent;
            result[names[1]] = extent(0);
        } else if (kind == "every") {
            result[names[0]] = (extent(0) + count - 1) / count;
        } else if (kind == "split") {
            result[names[1]] = extent(0) / count;
            result[names[2]] = count;
        } else if (kind == "join") {
            result[names[2]] = extent(0) * extent(1);
        } else if (kind == "broadcast" || kind == "slice") {
            result[names[0]] = count;
        } else if (kind == "tile") {
            result[names[0]] = std::max(0LL, std::min(count, rest));
        } else if (kind == "shift") {
            result[names[0]] = std::max(0LL, rest);
        }
        return result;
    }
    // The position in the tensor of a position in the view.
    position source(position const& p) const {
        position result = p;
        number const first = p[names[0]];
        if (kind == "rename") {
            result[names[0]] = p[names[1]];
        } else if (kind == "reverse") {
            result[names[0]] = extent(0) - 1 - first;
        } else if (kind == "every") {
            result[names[0]] = count * first;
        } else if (kind == "split") {
            result[names[0]] = count * p[names[1]] + p[names[2]];
        } else if (kind == "join") {
            result[names[0]] = p[names[2]] / extent(1);
            result[names[1]] = p[names[2]] % extent(1);
        } else if (is_part()) {
            result[names[0]] = start * stride + first;
        }
        return result;
    }
};

} // namespace oracle
