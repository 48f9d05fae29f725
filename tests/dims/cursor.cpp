// Cursors at run time: bounds over whole domains, steps, and loops over rings.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. Laws are those of docs/algebra.md.
// rebase() makes a cursor that holds its address, computed once; it is called committed. A compound
// index is one number for several indices, the last of which varies fastest. partition() deals the
// positions of an index out to lanes. origin() is a tensor's cursor at position zero.
// Names in parentheses are rows of the conformance list in tests/house: what the algebra must do.
#include <doctest/doctest.h>

#include <vector>

import spio.dims;

struct H : spio::dim {
    using dim::dim;
};
struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct M : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::fold;
using spio::make_coordinates;
using spio::tensor;
using K8 = fold<K, 8>;

TEST_CASE("law 10: inbounds() means 0 <= position < extent in every base") {
    tensor<float, axis<H>(16), axis<W>(32)> const t;
    bool agree = true;
    for (int h = -40; h < 60; ++h) {
        for (int w = -70; w < 100; ++w) {
            bool const expected = 0 <= h && h < 16 && 0 <= w && w < 32;
            agree &= t[H(h)][W(w)].inbounds() == expected;
            agree &= t[make_coordinates(W(w + 9), H(h - 9))][H(9) - W(9)].inbounds() == expected;
        }
    }
    CHECK(agree);
    CHECK_FALSE(t[H(0x7fffffff)].inbounds());
    CHECK_FALSE(t[H(-0x7fffffff)].inbounds());
}

TEST_CASE("inbounds(bool&) stores its result and returns the cursor "
          "(Cursor.in_range_overload_stores_result_and_returns_this)") {
    tensor<float, axis<H>(16), axis<W>(32)> const t;
    bool is_inbounds = false;
    auto const inside = t[H(5)][W(10)];
    CHECK(&inside.inbounds(is_inbounds) == &inside);
    CHECK(is_inbounds);
    auto const outside = t[H(-5)][W(10)];
    CHECK(&outside.inbounds(is_inbounds) == &outside);
    CHECK_FALSE(is_inbounds);
}

TEST_CASE(
    "rebase() may follow inbounds(bool&) (Cursor.in_range_overload_enables_method_chaining)") {
    std::vector<float> data(16 * 32);
    tensor<float, axis<H>(16), axis<W>(32)> const t(data.data());
    bool is_inbounds = false;
    CHECK(t[H(5)][W(10)].inbounds(is_inbounds).rebase().get() == data.data() + 5 * 32 + 10);
    CHECK(is_inbounds);
}

TEST_CASE("law 12: a committed cursor goes as far as its layout reaches") {
    char origin = 0;
    tensor<char, axis<H>(4).pitch(1ll << 32), axis<W>(8)> const t(&origin);
    auto committed = t[W(5)].rebase();
    CHECK(committed[H(3)].get() == t[H(3)][W(5)].get());
    CHECK(committed[H(3)].get() - &origin == (3ll << 32) + 5);
    CHECK(committed.step(H(2)).step(H(-1)).get() - &origin == (1ll << 32) + 5);
}

TEST_CASE("steps add up like subscripts (Tensor.deferred_folding_with_step)") {
    constexpr auto k = axis<K>(64);
    tensor<int, k / 8, axis<M>(4), k % 8> const t;
    auto by_coordinates = t[M(1)];
    auto by_parts = t[M(1)];
    int position = 0;
    for (int n = 0; n < 40; ++n) {
        int const next = n % 2 == 0 ? 3 : 5;
        position += next;
        by_coordinates.step(make_coordinates(K(next), N(99)));
        by_parts.step(K8(1)).step(K(next - 8));
        CHECK(by_coordinates.offset() == t[K(position)][M(1)].offset());
        CHECK(by_parts.offset() == by_coordinates.offset());
        CHECK(by_parts.inbounds() == (position < 64));
    }
}

TEST_CASE("law 5: a ring is gone around") {
    constexpr auto k = axis<K>(16).ring();
    int data[2 * 8 * 4] = {};
    tensor<int, k / 8, axis<I>(4), k % 8> const buffer(data);
    auto load = buffer.origin();
    for (auto chunk : spio::range(K8(10))) {
        CHECK(load.get() == data + chunk.get() % 2 * 32);
        CHECK(buffer[chunk][K(3)].get() == load.get() + 3);
        load.step(K8(1));
    }
}

TEST_CASE(
    "the lanes of a warp share a tile, each element once (IndexPartition.all_offsets_covered)") {
    using Lanes = spio::compound_index<axis<N>(2), axis<spio::LANE>(32)>;
    using Tile = spio::compound_index<axis<H>(10), axis<W>(10)>;
    int data[100] = {};
    tensor<int, axis<H>(10), axis<W>(10)> const t(data);
    for (int thread = 0; thread < 32; ++thread) {
        for (auto element : Tile::partition<spio::LANE>(Lanes(thread))) ++*t[element];
    }
    for (int n : data) CHECK(n == 1);
}

// 8192 x 1024 results in tiles of 256 x 128. A wave is the blocks that share 1024 rows: 8 columns
// of tiles, and 4 tiles in each.
TEST_CASE("a block number gives its wave, its column and its place in the wave "
          "(WaveBlockIdx.decomposition_and_unfold)") {
    constexpr auto rows = axis<I>(8192);
    constexpr auto columns = axis<M>(1024);
    using Block = spio::compound_index<rows / 1024, columns / 128, rows / 256 % 4>;
    CHECK(Block::size() == 256);
    for (int id : {0, 3, 4, 31, 32, 45, 255}) {
        Block const block(id);
        CHECK(block.get<fold<I, 256>>().get() == id % 4);
        CHECK(block.get<fold<M, 128>>().get() == id / 4 % 8);
        CHECK(block.get<fold<I, 1024>>().get() == id / 32);
        auto const place = block.coordinates().normalize();
        CHECK(spio::unfold(place.get<fold<I, 256>>()) == I(id / 32 * 1024 + id % 4 * 256));
        CHECK(block == make_coordinates(I(id / 32 * 1024 + id % 4 * 256), M(id / 4 % 8 * 128)));
    }
}
