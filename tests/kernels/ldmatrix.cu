// Fragments loaded by one, two and four matrices, from rows and from columns.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A fragment is the part of a matrix that one
// instruction of the tensor cores takes from the registers of a warp; its pieces are the registers
// of a lane. A tile_loader copies a tile by cp.async, its elements distributed over the threads.
// row_index() is the row that a lane gives to ldmatrix or stmatrix. push<T>() takes room for a
// tensor T from the block's shared memory, and returns it and the rest. origin() is a tensor's
// cursor at position zero.
#include "ldmatrix.h"

#include "spio/tile/fragment.cuh"
#include "spio/tile/tile_loader.cuh"

namespace spio::test::ldmatrix {

struct J : dim {
    using dim::dim;
};
struct K : dim {
    using dim::dim;
};
inline constexpr auto j8 = axis<J>(8);
inline constexpr auto j16 = axis<J>(16);
inline constexpr auto k8 = axis<K>(8);
inline constexpr auto k16 = axis<K>(16);
using half8 = vec<half, 8>;

// A fragment's pieces (the registers of a lane) with one more axis, for the lanes of a warp.
template <class Pieces> struct for_each_lane;
template <class Data, auto... Axes> struct for_each_lane<tensor<Data, Axes...>> {
    using type = tensor<Data, Axes..., axis<LANE>(32)>;
};

// Copies the tile from x to shared memory, and returns it.
template <class Fragment, auto... Axes> __device__ auto load_rows(params const& p) {
    using tile = tensor<half8, Axes...>;
    using source = tensor<half8 const, Axes...>;
    auto const [rows, rest] = dynamic_shared_memory<shared_bytes>().template push<tile>();
    auto const x = source(reinterpret_cast<half8 const*>(p.x)).origin();
    tile_loader<tile, 32, decltype(x)>(x, this_thread()).load(rows);
    commit_copies();
    wait_for_copies();
    sync_warp();
    return rows;
}

// Writes to y what each lane holds of the fragment.
template <class Fragment> __device__ void write_pieces(params const& p, Fragment& fragment) {
    using pieces = typename Fragment::pieces;
    using got = typename for_each_lane<pieces>::type;
    auto const y = got(reinterpret_cast<half2*>(p.y))[this_lane()];
    for (auto const piece : range(pieces())) *y[piece] = *fragment[piece];
}

// Loads a fragment from rows in shared memory, as they are or transposed.
template <auto Columns, auto Rows> __device__ void load(params const& p) {
    using fragment = right_fragment<half, Columns, Rows>;
    fragment b;
    b.load(load_rows<fragment, Rows, Columns / 8>(p)[fragment::row_index()]);
    write_pieces(p, b);
}
template <auto Rows, auto Columns> __device__ void load_transposed(params const& p) {
    using fragment = right_fragment<half, Rows, Columns>;
    fragment b;
    b.load_transposed(load_rows<fragment, Rows, Columns / 8>(p)[fragment::transposed_row_index()]);
    write_pieces(p, b);
}

} // namespace spio::test::ldmatrix

using namespace spio::test::ldmatrix;

// One, two and four matrices. (GPU.ldmatrix_x1, ldmatrix_x2, ldmatrix_x4, ldmatrix_x1_trans,
// ldmatrix_x2_trans, ldmatrix_x4_trans)
extern "C" __global__ void ldmatrix_x1(params p) { load<k8, j8>(p); }
extern "C" __global__ void ldmatrix_x2(params p) { load<k16, j8>(p); }
extern "C" __global__ void ldmatrix_x4(params p) { load<k16, j16>(p); }
extern "C" __global__ void ldmatrix_x1_transposed(params p) { load_transposed<k8, j8>(p); }
extern "C" __global__ void ldmatrix_x2_transposed(params p) { load_transposed<k16, j8>(p); }
extern "C" __global__ void ldmatrix_x4_transposed(params p) { load_transposed<k16, j16>(p); }
