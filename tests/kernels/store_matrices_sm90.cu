// A sum of products, rounded and stored by the instruction stmatrix.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A compound index is one number for several
// indices, the last of which varies fastest. A fragment is the part of a matrix that one
// instruction of the tensor cores takes from the registers of a warp; its pieces are the registers
// of a lane. The stored tile is read as a factor of the next product would be; neither reading nor
// storing has bank conflicts. for_lane<lane_index>(lane) says which elements of a fragment a lane
// holds. row_index() is the row that a lane gives to ldmatrix or stmatrix.
#include "store_matrices.h"

#include "spio/facts.h"
#include "spio/swizzle.h"
#include "spio/tile/fragment.cuh"

namespace spio::test::store_matrices {

struct I : dim {
    using dim::dim;
};
struct J : dim {
    using dim::dim;
};
inline constexpr auto i = axis<I>(16);
inline constexpr auto j = axis<J>(16);

using sum = sum_fragment<i, j>;
using factor_of_next = left_fragment<half, i, j>;
using float2 = vec<float, 2>;
using half8 = vec<half, 8>;
using source = tensor<float2 const, i, j / 2>;
using target = tensor<half8, i, j / 8>;
using tile = tensor<half8, checkerboard(i, j / 8)>;
using cell_of_lane = compound_index<i, j / 8>;
static_assert(bank_conflicts<tile, factor_of_next::map::rows>() == 0);
static_assert(bank_conflicts<tile, cell_of_lane>() == 0);

extern "C" __global__ void store_matrices(params p) {
    auto const [rows, rest] = dynamic_shared_memory<shared_bytes>().push<tile>();
    auto const x =
        source(reinterpret_cast<float2 const*>(p.x))[for_lane<sum::lane_index>(this_lane())];
    sum c;
    for (auto const piece : range(sum::pieces())) *c[piece] = *x[piece];

    c.rounded<half>().store<sm_90a>(rows[factor_of_next::row_index()]);
    sync_warp();
    auto const cell = for_lane<cell_of_lane>(this_lane());
    *target(reinterpret_cast<half8*>(p.y))[cell] = *rows[cell];
}

} // namespace spio::test::store_matrices
