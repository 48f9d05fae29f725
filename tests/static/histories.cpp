// Subscripts and steps by any kinds of values, in any order, add up: law 1 of docs/algebra.md.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. origin() is a tensor's
// cursor at position zero.
import spio.dims;
#include "histories.h"

using history::K;
using history::K8;
using history::Lane;
using history::Thread;

// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};

// Steps between two subscripts of one bounded dimension are kept: Lane(1), a step of K(16), and
// then Lane(2) make the offset 1 + 16 + 2.
constexpr bool keeps_steps() {
    auto c = history::plain::tensor(memory)[Lane(1)];
    c.step(K(16));
    auto d = history::plain::tensor(memory)[Thread(5)];
    d.step(K(32));
    return c[Lane(2)].offset() == 19 && d[Thread(7)].offset() == 44 &&
           c[Lane(2)][K8(1)].offset() == 27;
}
static_assert(keeps_steps());

// Some sequences of three moves on each layout, of ten kinds: 0 to 4 subscript by a K, a Lane, a
// K8, a Thread or coordinates of I, Lane and K8; 5 to 9 step by these. The property tests try all
// sequences, with many values; here one value is drawn from the kinds.
template <class Layout, int A, int B, int C> constexpr bool agrees() {
    auto const t = typename Layout::tensor(memory);
    return history::moves<Layout, A, B, C>::agree(t.origin(), {}, (A + 3 * B + 5 * C) % 19 + 1);
}
template <class Layout, int A, int B>
concept agrees_to_the_third =
    agrees<Layout, A, B, 1>() && agrees<Layout, A, B, 3>() && agrees<Layout, A, B, 4>();
template <class Layout, int A>
concept agrees_to_the_second =
    agrees_to_the_third<Layout, A, 0> && agrees_to_the_third<Layout, A, 5> &&
    agrees_to_the_third<Layout, A, 7>;
template <class Layout>
concept adds_up = agrees_to_the_second<Layout, 1> && agrees_to_the_second<Layout, 3> &&
                  agrees_to_the_second<Layout, 8>;
static_assert(adds_up<history::plain>);
static_assert(adds_up<history::folded>);
static_assert(adds_up<history::swizzled>);
