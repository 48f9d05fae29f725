// Histories of a cursor: every sequence of three subscripts and steps, against plain arithmetic.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. rebase() makes a cursor that holds its
// address, computed once. A compound index is one number for several indices, the last of which
// varies fastest.
#pragma once

namespace history {

struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
inline constexpr auto i = spio::axis<I>(16);
inline constexpr auto k = spio::axis<K>(64);
using K8 = spio::fold<K, 8>;
using Lane = spio::bounded<K, 8>;
using Thread = spio::compound_index<i % 4, k % 8>;

struct point {
    int i = 0;
    int k = 0;
};

// place<Kind>(n) is a value of a dimension, coordinates or an index, and sum<Kind>(p, n) is the
// position p after it is added. Moves of the kinds 0 to 4 are subscripts by place<Kind>; those from
// 5 on are steps by place<Kind - 5>.
inline constexpr int place_kinds = 5;
template <int Kind> constexpr auto place(int n) {
    if constexpr (Kind == 0) {
        return K(n);
    } else if constexpr (Kind == 1) {
        return Lane(n & 7);
    } else if constexpr (Kind == 2) {
        return K8(n & 3);
    } else if constexpr (Kind == 3) {
        return Thread(n & 31);
    } else {
        return I(n & 3) + Lane(n & 7) + K8(n & 1);
    }
}
// The position after n moves of one kind, computed with ints.
template <int Kind> constexpr point sum(point p, int n) {
    if constexpr (Kind == 0) {
        p.k += n;
    } else if constexpr (Kind == 1) {
        p.k += n & 7;
    } else if constexpr (Kind == 2) {
        p.k += 8 * (n & 3);
    } else if constexpr (Kind == 3) {
        p.i += (n & 31) / 8;
        p.k += n & 7;
    } else {
        p.i += n & 3;
        p.k += (n & 7) + 8 * (n & 1);
    }
    return p;
}

// Each layout has its tensor by the library, and its offset in plain arithmetic.
constexpr int floor_by_8(int n) { return n >= 0 ? n / 8 : -((7 - n) / 8); }
struct plain {
    using tensor = spio::tensor<char const, i, k>;
    static constexpr int offset(point p) { return p.i * 64 + p.k; }
    static constexpr bool commits = false;
};
struct folded {
    using tensor = spio::tensor<char const, k / 8, i, k % 8>;
    static constexpr int offset(point p) {
        return floor_by_8(p.k) * 128 + p.i * 8 + (p.k - 8 * floor_by_8(p.k));
    }
    static constexpr bool commits = true;
};
struct swizzled {
    using tensor = spio::tensor<char const, i, spio::swizzle(k / 8, i % 8), k % 8>;
    static constexpr int offset(point p) {
        int const column = floor_by_8(p.k) ^ (p.i - 8 * floor_by_8(p.i));
        return p.i * 64 + column * 8 + (p.k - 8 * floor_by_8(p.k));
    }
    static constexpr bool commits = false;
};

// Whether a cursor is at a position, and at all those that follow by the moves Kinds. A swizzle is
// defined inside of the tensor only.
template <class Layout, int... Kinds> struct moves;
template <class Layout> struct moves<Layout> {
    template <class Cursor> static constexpr bool agree(Cursor c, point p, int) {
        bool const is_inside = 0 <= p.i && p.i < 16 && 0 <= p.k && p.k < 64;
        if (c.inbounds() != is_inside) return false;
        if (is_inside && c.offset() != Layout::offset(p)) return false;
        if constexpr (Layout::commits) {
            point const next = sum<2>(p, 3);
            auto const start = c.get();
            return c.rebase().step(K8(3)).get() - start == Layout::offset(next) - Layout::offset(p);
        }
        return true;
    }
};
template <class Layout, int Kind, int... Kinds> struct moves<Layout, Kind, Kinds...> {
    // Whether the cursor is at p, and where it should be after the next move, by n, and all others.
    template <class Cursor> static constexpr bool agree(Cursor c, point p, int n) {
        constexpr int kind = Kind % place_kinds;
        point const next = sum<kind>(p, n);
        int const next_n = n * 5 % 23 + 1;
        if (!moves<Layout>::agree(c, p, n)) return false;
        if constexpr (Kind < place_kinds) {
            return moves<Layout, Kinds...>::agree(c[place<kind>(n)], next, next_n);
        } else {
            c.step(place<kind>(n));
            return moves<Layout, Kinds...>::agree(c, next, next_n);
        }
    }
};

} // namespace history
