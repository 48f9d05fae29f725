// Lesson 3: a dimension can be folded into blocks, and folds carry by themselves.
// SPDX-License-Identifier: Apache-2.0
//
// An axis is a dimension with its size: axis<K>(32) has 32 values of K.
#include <type_traits>

#include "check.h"

import spio.dims;

using I = spio::dimension<"I">;
using K = spio::dimension<"K">;

// Fast kernels rarely keep a matrix row by row. They cut K into blocks of 8, say, because 8 halfs
// are the 16 bytes that one load brings, and lay the blocks out one after another. In raw integers
// each access then spells `k / 8` and `k % 8`, and each of them can be forgotten.
//
// A fold is a dimension counted in blocks. It is a type of its own, yet it belongs to K:
using K8 = spio::fold<K, 8>;

static_assert(K8(3) == K(24));        // three blocks of eight
static_assert(K8(3) + K(4) == K(28)); // and four more
static_assert(std::is_same_v<decltype(K8(3) + K8(1)), K8>);
static_assert(std::is_same_v<decltype(K8(3) + K(4)), K>);

// Two folds of one dimension meet at the greatest stride that divides both, so nothing is lost.
using K6 = spio::fold<K, 6>;
static_assert(std::is_same_v<decltype(K8() + spio::fold<K, 16>()), K8>);
static_assert(std::is_same_v<decltype(K8() + K6()), spio::fold<K, 2>>);
static_assert(K8(1) + K6(1) == K(14));

// To unfold is exact and happens by itself. To fold rounds down, so it has to be asked for.
constexpr K unfolded = K8(3);
static_assert(unfolded == K(24));
static_assert(K8(K(29)) == K8(3));
static_assert(K8(K(-1)) == K8(-1));
static_assert(!std::is_convertible_v<K, K8>);

// Axes fold by / and %. Here K is cut in blocks of 8; the blocks are the outermost axis, then come
// the rows, then the 8 elements of a block.
constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(32);

using Plain = spio::tensor<float, i, k>;
using Folded = spio::tensor<float, k / 8, i, k % 8>;

static_assert(Folded::size<K8>() == K8(4));  // four blocks
static_assert(Folded::size<K>() == K(8));    // of eight elements
static_assert(Folded::extent<K>() == K(32)); // make 32
static_assert(Folded::storage_size() == Plain::storage_size());

// The folds of a dimension have to make it up completely. A layout of k / 8 and k % 4 would have no
// place for K(4) and does not compile; the message says that the folds of K do not meet, and gives
// both numbers.

// Whoever uses the tensor may still think in K. The layout folds for you,
static_assert(Folded()[I(2)][K(13)].offset() == (1 * 16 + 2) * 8 + 5);
static_assert(Folded()[I(2)][K(13)].offset() == Folded()[I(2)][K8(1)][K(5)].offset());

// and it carries: 7 + 5 is in the second block, although 7 is in the first.
static_assert(Folded()[K(7)][K(5)].offset() == Folded()[K(12)].offset());
static_assert(Folded()[K(7)][K(5)].offset() == Folded()[K8(1)][K(4)].offset());

// That costs what it must and no more. The types of the subscripts say what can carry: a place that
// comes in as a K8 and nothing else is only multiplied.

// Sometimes a dimension should wrap. A pipeline of two buffers is an axis of 2 that any step number
// may subscript: a ring. Nothing wraps unless it says so.
using Stage = spio::dimension<"Stage">;
using Buffers = spio::tensor<float, spio::axis<Stage>(2).ring(), i>;
static_assert(Buffers()[Stage(0)].offset() == 0);
static_assert(Buffers()[Stage(1)].offset() == 16);
static_assert(Buffers()[Stage(6)][I(3)].offset() == 3);
static_assert(Buffers()[Stage(7)][I(3)].offset() == 16 + 3);

int main() {
    float plain_data[Plain::storage_size()];
    float folded_data[Folded::storage_size()] = {};
    auto const plain = Plain(plain_data);
    auto const folded = Folded(folded_data);

    // Two tensors of the same dimensions speak the same coordinates. To convert a layout is to
    // assign; range(tensor) yields every place of a tensor once.
    for (auto place : spio::range(plain)) *plain[place] = static_cast<float>(plain[place].offset());
    for (auto place : spio::range(plain)) *folded[place] = *plain[place];
    check(folded_data[(1 * 16 + 2) * 8 + 5] == 2 * 32 + 13, "I(2), K(13) lies in the second block");

    // The conversion back may follow the places of the other one, whose K comes in two parts.
    for (auto place : spio::range(folded)) {
        check(*plain[place] == *folded[place], "both layouts hold the same at every place");
    }

    // A cursor steps in any fold, and carries as a subscript does.
    auto cursor = folded[I(2)];
    for (auto k : spio::range(K(32))) {
        check(cursor.get() == folded[I(2)][k].get(), "stepping by K crosses from block to block");
        cursor.step(K(1));
    }
    auto block = folded[K(5)];
    block.step(K8(2));
    check(block.get() == folded[K(21)].get(), "stepping by two blocks keeps the place within one");

    // An inner loop can commit its cursor to a pointer. It then moves by whole blocks of the
    // coarsest axis only, an addition each; a step that might carry no longer compiles.
    auto committed = folded[I(2)][K(5)].rebase();
    committed.step(K8(3));
    check(committed.get() == folded[I(2)][K(29)].get(), "a committed cursor moves by blocks");
    return wrong;
}
