// Lesson 5: one number that stands for several indices, as a thread's or a block's does.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 its blocks of 8. is_injective says whether
// different positions have different offsets.
#include "check.h"

import spio.dims;

using I = spio::dimension<"I">;
using J = spio::dimension<"J">;
using K = spio::dimension<"K">;
using spio::LANE;

// A GPU hands every thread two numbers: which block it is in, and which thread of the block it is.
// What they mean is up to the kernel, and is usually a line of / and % at its top. A compound index
// is that line as a type. Here 512 x 512 elements fall to 32 x 32 blocks of 16 x 16 threads:
constexpr auto i = spio::axis<I>(512);
constexpr auto j = spio::axis<J>(512);

using A = spio::tensor<float, i, j>;
using Block = spio::compound_index<i / 16, j / 16>;
using Thread = spio::compound_index<i % 16, j % 16>;

static_assert(Block::size() == 32 * 32); // what the host needs for the launch
static_assert(Thread::size() == 16 * 16);

// The last axis varies fastest: block 70 is in row 2 of the blocks, at column 6.
static_assert(Block(70).get<spio::fold<I, 16>>() == I(2 * 16));
static_assert(Block(70).get<spio::fold<J, 16>>() == J(6 * 16));
static_assert(Thread(35) == I(2) + J(3));

// It subscripts a tensor like any coordinates, and since Block says which 16 and Thread which of
// the 16, together they are one element. In a kernel: a[Block(blockIdx.x)][Thread(threadIdx.x)].
static_assert(A()[Block(70)][Thread(35)].offset() == (2 * 16 + 2) * 512 + 6 * 16 + 3);
static_assert(A()[Thread(35)][Block(70)].offset() == A()[Block(70)][Thread(35)].offset());

// A warp has 32 lanes and often more than 32 things to do. partition() deals the places of a
// compound index out over one of its dimensions: lane 3 gets 3, 35, 67, …
using Part = spio::dimension<"Part">;
using Warp = spio::compound_index<spio::axis<LANE>(32)>;
using Work = spio::compound_index<spio::axis<Part>(4), spio::axis<LANE>(32)>;

// The same place may count as another dimension: the rows of one product are the columns of the
// next. cast() renames and leaves the value alone.
static_assert(Block(70).cast<I, K>().get<spio::fold<K, 16>>() == K(2 * 16));

// Last, a layout that no list of axes can say. Shared memory has 32 banks of 4 bytes, and a warp
// that wants two words of one bank waits twice. When 8 lanes read 8 rows of a tile, 16 bytes each,
// rows 32 bytes apart collide in pairs. The remedy is to permute the places, which in raw integers
// is an XOR in every address. Here it is a derived axis: a pure function of the coordinates, placed
// in the layout like any other axis.
struct cell {
    unsigned words[4]; // 8 halfs: one cell of 16 bytes
};
constexpr auto row = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(16);
using K8 = spio::fold<K, 8>;

using Straight = spio::tensor<cell, row, k / 8>;
using Swizzled = spio::tensor<cell, spio::checkerboard(row, k / 8)>;

static_assert(Straight()[I(4)][K8(0)].offset() == 8); // the bank of row 0 again
static_assert(Swizzled()[I(4)][K8(0)].offset() == 9); // one cell further

// The subscripts are those of every tensor, in any order and in any number of parts. The function
// runs when the address is asked for, on the whole position.
static_assert(Swizzled()[K8(1)][I(3)][I(1)].offset() == Swizzled()[I(4) + K(8)].offset());

// The compiler can check what the swizzle is for. Each lane of a warp reads one of 16 rows and one
// of 2 cells: straight, four groups of 8 lanes collide once each; swizzled, none does.
using Lane = spio::compound_index<k / 8, row>;
static_assert(spio::bank_conflicts<Straight, Lane>() == 4);
static_assert(spio::bank_conflicts<Swizzled, Lane>() == 0);
static_assert(spio::is_injective<Swizzled>); // and no two cells share a place

int main() {
    // All blocks and threads together touch every element once.
    static int touched[A::storage_size()];
    for (int block = 0; block < Block::size(); ++block) {
        for (int thread = 0; thread < Thread::size(); ++thread) {
            ++touched[A()[Block(block)][Thread(thread)].offset()];
        }
    }
    int single_visits = 0;
    for (int n : touched) single_visits += n == 1;
    check(single_visits == 512 * 512, "blocks and threads cover the tensor, each element once");

    // All lanes together do all work, and none does any twice.
    int visits[Work::size()] = {};
    for (int lane = 0; lane < Warp::size(); ++lane) {
        for (auto work : Work::partition<LANE>(Warp(lane))) ++visits[work.offset().get()];
    }
    for (int n : visits) check(n == 1, "each piece of work falls to one lane");

    // A swizzle moves what is stored, not what is meant: the tile reads back as it was written.
    static cell data[Swizzled::storage_size()];
    auto const tile = Swizzled(data);
    for (auto place : spio::range(tile)) {
        tile[place]->words[0] = static_cast<unsigned>(Straight()[place].offset());
    }
    for (auto i : spio::range(I(16))) {
        for (auto k : spio::range(K8(2))) {
            check(tile[k][i]->words[0] == 2U * i.get() + k.get(), "a cell is where its name says");
        }
    }
    return wrong;
}
