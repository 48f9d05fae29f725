// The laws of the algebra (docs/algebra.md) at run time, where the compiler knows only the types.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A ring is an axis
// around which positions wrap. A late size is known only at run time.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

import spio.dims;

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
using spio::axis;
using spio::bounded;
using spio::fold;
using spio::make_coordinates;
using spio::tensor;
using K8 = fold<K, 8>;

constexpr auto i = axis<I>(16);
constexpr auto k = axis<K>(64);

// A position has one offset, however it is split into subscripts and in any order. Offsets beyond
// the tensor are computed as any others, so that positions may be negative or too large.
template <class Tensor> void law_1(Tensor const& t) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> some(-100, 100);
    bool equal = true;
    for (int n = 0; n < 2000; ++n) {
        I const a(some(random));
        K const b(some(random));
        K8 const c(some(random) / 8);
        fold<K, 6> const d(some(random) / 6);
        bounded<fold<I, 4>, 3> const e(n % 3);
        auto const sum_offset = t[a + b + c + d + e].offset();
        equal &= t[a][b][c][d][e].offset() == sum_offset && t[e][d][c][b][a].offset() == sum_offset;
        equal &= t[make_coordinates(c, a)][d + e][b].offset() == sum_offset;
        equal &= t[K(8 * c.get() + 6 * d.get() + b.get())][I(a + e)].offset() == sum_offset;
        auto stepped = t[e][c];
        stepped.step(a).step(d).step(b);
        equal &=
            stepped.offset() == sum_offset && stepped.inbounds() == t[a + b + c + d + e].inbounds();
        auto from_here = t[e][K(5)];
        from_here.step(d + a).step(c).step(b - K(5));
        equal &= from_here.offset() == sum_offset;
        // A cursor that is stepped first, then subscripted, and then stepped again comes to the
        // same place.
        auto later = t[e];
        later.step(c).step(d);
        auto last = later[b];
        last.step(K(7)).step(a);
        equal &= last[K(-7)].offset() == sum_offset && later[b + a].offset() == sum_offset;
    }
    CHECK(equal);
}

TEST_CASE("law 1: t[a][b] == t[b][a] == t[a + b]") {
    law_1(tensor<char, i, k>());
    law_1(tensor<char, k / 8, i, k % 8>());
    law_1(tensor<char, k % 4, k / 16, i.pitch(99), k / 4 % 4>());
    law_1(tensor<char, k / 8, i / 4>());
    law_1(tensor<char, k / 16, spio::checkerboard(i, k / 8 % 2), k % 8>());
    law_1(tensor<char, i, spio::swizzle(k / 8, i % 8), k % 8>());
    law_1(tensor<char, k.ring() / 16, i, k % 16>());
    law_1(tensor<char, axis<K>(48) / 6, axis<K>(48) % 6, i.ring()>());
    law_1(tensor<char, axis<K>(spio::dynamic) / 8, i, axis<K>(spio::dynamic) % 8>(nullptr, K(61)));
}

TEST_CASE("law 2: division floors and remainders are non-negative") {
    for (int n = -1000; n < 1000; ++n) {
        K const x(n);
        CHECK(K8(x) + spio::modulo<8>(x) == x);
        CHECK(spio::modulo<8>(x).get() >= 0);
        CHECK(fold<K, 6>(x) <= x);
        CHECK(fold<K, 6>(x) + K(6) > x);
        CHECK(x / 7 * 7 + x % K(7) == x);
    }
}

TEST_CASE("law 12: offsets are as wide as the layout needs") {
    using Wide = tensor<float, axis<N>(1 << 12), axis<I>(1 << 12), axis<J>(1 << 12)>;
    static_assert(sizeof(Wide::offset_type) == 8);
    Wide const t;
    std::mt19937 random(2);
    std::uniform_int_distribution<int> some(-5, 1 << 12);
    bool equal = true;
    for (int n = 0; n < 2000; ++n) {
        std::int64_t const a = some(random);
        std::int64_t const b = some(random);
        std::int64_t const c = some(random);
        equal &= t[N(a)][I(b)][J(c)].offset() == (a * 4096 + b) * 4096 + c;
    }
    CHECK(equal);
    tensor<float, axis<N>(spio::dynamic), i> const late(nullptr, N(1 << 30));
    CHECK(late[N((1 << 30) - 1)][I(15)].offset() == (std::int64_t(1) << 34) - 1);
    CHECK(late.size() == std::int64_t(1) << 34);
    CHECK(late.num_bytes() == std::int64_t(1) << 36);
}

TEST_CASE("bounds of a subscript are promises about it, not about the sum") {
    tensor<char, k / 8, i, k % 8> const t;
    for (int a = 0; a < 8; ++a) {
        for (int b = 0; b < 8; ++b) {
            bounded<K, 8> const x(a);
            bounded<K, 8> const y(b);
            CHECK(t[x][y].offset() == t[K(a + b)].offset());
            CHECK(t[x][y][bounded<K8, 4>(3)].offset() == t[K(a + b + 24)].offset());
        }
    }
}
