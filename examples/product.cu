// A matrix product on tensor cores, c = a b', as a kernel that any of the compilers takes.
// SPDX-License-Identifier: Apache-2.0
//
// I and J are the rows and columns of c, K is what the product sums over. axis<K>(32) is the
// dimension K with 32 values; fold<K, 32>, or an axis / 32, counts it in blocks of 32. A tensor is
// a pointer with axes, outermost first; a subscript is a position along some of them, and returns a
// cursor, a place in the tensor. A compound index is one number for several indices. push<T>()
// takes room for a tensor T from the block's shared memory, and returns it and the rest. A
// tile_loader copies a tile by cp.async, its cells distributed over the threads. A fragment is the
// part of a matrix that a lane holds, in pieces of two neighbours: row_index() is the row that the
// lane gives to ldmatrix, and for_lane<lane_index>() says which elements it holds.
#include "product.h"
#include "spio/facts.h"
#include "spio/swizzle.h"
#include "spio/tile/multiply.cuh"
#include "spio/tile/tile_loader.cuh"

using namespace spio;
using namespace product;

// A block computes 64 x 64 elements of c, a warp 32 x 32, in steps of 32 products.
constexpr auto i_tile = axis<I>(64);
constexpr auto j_tile = axis<J>(64);
constexpr auto k_tile = axis<K>(32);
constexpr int threads = 128;
using Warp = compound_index<i_tile / 32, j_tile / 32>;

// In shared memory, cells of 8 halves are swizzled by row, so that loads have no bank conflicts.
using a_tile = tensor<half8, i_tile, swizzle(k_tile / 8, i_tile / 2 % 4)>;
using b_tile = tensor<half8, j_tile, swizzle(k_tile / 8, j_tile / 2 % 4)>;

static_assert(product::shared_bytes == spio::shared_bytes<a_tile, b_tile>);

// In registers, the operands of a warp are tensors of 16 x 16 fragments.
constexpr auto i16 = axis<I>(16);
constexpr auto j16 = axis<J>(16);
constexpr auto k16 = axis<K>(16);
using A = left_fragment<half, i16, k16>;
using B = right_fragment<half, k16, j16>;
using C = sum_fragment<i16, j16>;
using As = tensor<A, k_tile / 16, axis<I>(32) / 16>;
using Bs = tensor<B, k_tile / 16, axis<J>(32) / 16>;
using Cs = tensor<C, axis<I>(32) / 16, axis<J>(32) / 16>;
static_assert(bank_conflicts<a_tile, A::map::rows>() == 0);
static_assert(bank_conflicts<b_tile, B::map::rows>() == 0);

extern "C" __global__ void product_64x64(params p) {
    auto const memory = dynamic_shared_memory<product::shared_bytes>();
    auto const [a_shared, after_a] = memory.push<a_tile>();
    auto const [b_shared, after_b] = after_a.push<b_tile>();
    auto const a = a_matrix(p.a, I(p.rows));
    auto const b = b_matrix(p.b);
    auto const block_rows = fold<I, 64>(this_block());
    tile_loader<a_tile, threads, decltype(a[block_rows])> a_loader(a[block_rows], this_thread());
    tile_loader<b_tile, threads, b_matrix> b_loader(b, this_thread());

    C c_data[Cs::storage_size()];
    auto const c = Cs(c_data);
    for (auto const position : range(c)) c[position]->zero();

    auto const warp = Warp(this_warp().get());
    auto const a_row = a_shared[warp][A::row_index()];
    auto const b_row = b_shared[warp][B::row_index()];
    for ([[maybe_unused]] auto const step : range(fold<K, 32>(k.size / 32))) {
        a_loader.load(a_shared);
        b_loader.load(b_shared);
        commit_copies();
        wait_for_copies();
        sync_block();

        A a_data[As::storage_size()];
        B b_data[Bs::storage_size()];
        auto const a_part = As(a_data);
        auto const b_part = Bs(b_data);
        for (auto const position : range(a_part)) a_part[position]->load(a_row[position]);
        for (auto const position : range(b_part)) b_part[position]->load(b_row[position]);
        multiply(c, a_part, b_part); // sums over K, which only the factors have
        sync_block();
        a_loader.step(fold<K, 32>(1));
        b_loader.step(fold<K, 32>(1));
    }

    auto const output =
        c_matrix(p.c, I(p.rows))[block_rows][warp][for_lane<C::lane_index>(this_lane())];
    for (auto const position : range(c)) {
        for (auto const piece : range(C::pieces())) {
            if (output[position][piece].inbounds())
                *output[position][piece] = *(*c[position])[piece];
        }
    }
}
