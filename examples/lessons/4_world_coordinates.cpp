// Lesson 4: a tile of a larger tensor, and how one set of coordinates serves both.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

import spio.dims;

using I = spio::dimension<"I">;
using J = spio::dimension<"J">;
using K = spio::dimension<"K">;

// A GPU computes a large product C = A B in tiles. Each block of threads has a tile of A, of B and
// of C, and at the borders of the matrices part of a tile hangs over.
constexpr auto i = spio::axis<I>(16);
constexpr auto j = spio::axis<J>(64);
constexpr auto k = spio::axis<K>(32);

using A = spio::tensor<float, i, k>;
using B = spio::tensor<float, k, j>;
using C = spio::tensor<float, i, j>;

using A_tile = spio::tensor<float, spio::axis<I>(8), spio::axis<K>(4)>;
using B_tile = spio::tensor<float, spio::axis<K>(4), spio::axis<J>(32)>;

// Rows of the tile of C are 64 elements apart, though only 32 are used: the tile is padded. A pitch
// says how far apart in memory two steps of an axis are, in elements.
using C_tile = spio::tensor<float, spio::axis<I>(8).pitch(64), spio::axis<J>(32)>;
static_assert(C_tile::size() == 8 * 32);
static_assert(C_tile::storage_size() == 7 * 64 + 32);
static_assert(C_tile()[I(1)].offset() == 64);

// The tile starts here in the world. Both values name their dimension, so they can be added to
// places of the tile, and the sum subscripts any tensor of the world.
constexpr auto origin = spio::make_coordinates(I(12), J(60));
constexpr auto corner = I(2) + J(3);
static_assert(origin + corner == I(14) + J(63));
static_assert(C()[origin + corner].offset() == 14 * 64 + 63);

// Comparison is for every dimension that both sides have. So "inside the world" is one expression,
// and it asks of each tensor only what it knows: A has no J, and does not care about J.
static_assert(origin + corner < C::extents());
static_assert(!(origin + J(4) < C::extents())); // J(64) is one too far
static_assert(origin + J(4) < A::extents());    // A has no J
static_assert(!(origin + I(4) < A::extents()));

// `not inside` is not the same as `beyond`: a place can be inside in I and outside in J. Therefore
// there is no shortcut from !(a < b) to a >= b.
constexpr auto mixed = I(3) + J(70);
static_assert(!(mixed < C::extents()) && !(mixed >= C::extents()));

int main() {
    static float a_data[A::storage_size()];
    static float b_data[B::storage_size()];
    static float c_data[C::storage_size()];
    auto const a = A(a_data);
    auto const b = B(b_data);
    auto const c = C(c_data);
    for (auto place : spio::range(a)) *a[place] = static_cast<float>(a[place].offset());
    for (auto place : spio::range(b)) *b[place] = static_cast<float>(b[place].offset());
    for (auto place : spio::range(c)) *c[place] = static_cast<float>(c[place].offset());

    // Range visits every element of the padded tile, and no padding: 256 places, each once.
    static float tile_data[C_tile::storage_size()];
    auto const tile = C_tile(tile_data);
    int visits[C_tile::storage_size()] = {};
    int places = 0;
    for (auto place : spio::range(tile)) {
        ++visits[tile[place].offset()];
        ++places;
    }
    check(places == 8 * 32, "as many places as the tile has elements");
    for (auto row : spio::range(I(8))) {
        for (auto column : spio::range(J(32))) {
            check(visits[tile[row][column].offset()] == 1, "every element is visited once");
        }
    }
    int touched = 0;
    for (int n : visits) touched += n;
    check(touched == 8 * 32, "and the padding is not");

    // Load the tile from the world, with zero where it hangs over. 4 rows by 4 columns are inside.
    int inside = 0;
    for (auto place : spio::range(tile)) {
        auto const world = origin + place;
        bool const exists = world < c.extents();
        *tile[place] = exists ? *c[world] : 0.0F;
        inside += exists;
    }
    check(inside == 4 * 4, "the corner of the world covers 4 x 4 of the tile");
    check(*tile[I(3)][J(3)] == 15 * 64 + 63, "its last element is the last of the world");
    check(*tile[I(4)][J(0)] == 0.0F, "what hangs over is zero");

    // The three tiles of a product share one origin, each taking from it what it has. The loop over
    // K is added like any other coordinate.
    int reads = 0;
    for (auto k : spio::range_with_step<4>(K(32))) {
        float a_copy[A_tile::storage_size()] = {};
        float b_copy[B_tile::storage_size()] = {};
        for (auto place : spio::range(A_tile())) {
            auto const world = origin + place + k;
            if (world < a.extents()) *A_tile(a_copy)[place] = *a[world];
        }
        for (auto place : spio::range(B_tile())) {
            auto const world = origin + place + k;
            if (world < b.extents()) *B_tile(b_copy)[place] = *b[world];
        }
        // What a place of the tiles holds is what the world holds there.
        for (auto place : spio::range(A_tile())) {
            auto const world = origin + place + k;
            if (!(world < a.extents())) continue;
            check(*A_tile(a_copy)[place] == *a[world], "the tile of A agrees with A");
            ++reads;
        }
        for (auto place : spio::range(B_tile())) {
            auto const world = origin + place + k;
            if (!(world < b.extents())) continue;
            check(*B_tile(b_copy)[place] == *b[world], "the tile of B agrees with B");
            ++reads;
        }
    }
    check(reads == 8 * (4 * 4 + 4 * 4), "8 chunks of K, each 4 x 4 inside A and inside B");

    // Some sizes are known only when the kernel runs. Such an axis is dynamic, its size is passed
    // with the pointer, and everything above stays as it is: only the type of C has changed.
    using Late = spio::tensor<float, spio::axis<I>(spio::dynamic), j>;
    auto const late = Late(c_data, I(14));
    inside = 0;
    for (auto place : spio::range(tile)) inside += origin + place < late.extents();
    check(late.extent<I>() == I(14), "the size that was passed");
    check(inside == 2 * 4, "with 14 rows, 2 x 4 of the tile are inside");
    check(late[I(13)][J(63)].get() == c[I(13)][J(63)].get(), "the same element as before");
    return wrong; // how many checks failed
}
