// Products of single fragments, of every size and format.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A fragment is the part of a matrix that one
// instruction of the tensor cores takes from the registers of a warp; its pieces are the registers
// of a lane. A tile_loader copies a tile by cp.async, its elements distributed over the threads.
// for_lane<lane_index>(lane) says which elements of a fragment a lane holds. row_index() is the row
// that a lane gives to ldmatrix or stmatrix. push<T>() takes room for a tensor T from the block's
// shared memory, and returns it and the rest. origin() is a tensor's cursor at position zero.
#include "mma.h"

#include "spio/tile/multiply.cuh"
#include "spio/tile/tile_loader.cuh"

namespace spio::test::mma {

// A whole tensor of 16-byte cells comes to shared memory.
template <class Tile, factor T> __device__ void copy_to(Tile const& tile, T const* elements) {
    using data = typename Tile::data_type;
    auto const x = Tile(reinterpret_cast<data*>(const_cast<T*>(elements))).origin();
    tile_loader<Tile, 32, decltype(x)>(x, this_thread()).load(tile);
}

template <factor T, auto I, auto J, auto K> __device__ void multiply_once(params const& p) {
    using left = left_fragment<T, I, K>;
    using right = right_fragment<T, K, J>;
    using sum = sum_fragment<I, J>;
    constexpr size size = {1, I.size, J.size, K.size};
    using cell = vec<T, 8>;
    using left_tile = tensor<cell, I, K / 8>;
    using right_tile = tensor<cell, J, K / 8>;

    auto const memory = dynamic_shared_memory<size.shared_bytes()>();
    auto const [a_tile, after_a] = memory.template push<left_tile>();
    auto const [b_tile, after_b] = after_a.template push<right_tile>();
    copy_to(a_tile, reinterpret_cast<T const*>(p.a));
    copy_to(b_tile, reinterpret_cast<T const*>(p.b));
    commit_copies();
    wait_for_copies();
    sync_warp();

    left a;
    right b;
    sum c;
    a.load(a_tile[left::row_index()]);
    b.load(b_tile[right::row_index()]);
    c.zero();
    multiply(c, a, b);

    using pair_of_floats = vec<float, 2>;
    auto const y = tensor<pair_of_floats, I, J / 2>(reinterpret_cast<pair_of_floats*>(p.c));
    auto const mine = y[for_lane<typename sum::lane_index>(this_lane())];
    for (auto const piece : range(typename sum::pieces())) *mine[piece] = *c[piece];
}

inline constexpr auto i16 = axis<I>(16);
inline constexpr auto j8 = axis<J>(8);
inline constexpr auto j16 = axis<J>(16);
inline constexpr auto k8 = axis<K>(8);
inline constexpr auto k16 = axis<K>(16);

} // namespace spio::test::mma

using namespace spio;
using namespace spio::test::mma;

// The sizes of an instruction, and two of them. (GPU.mma_m16n8k8, mma_m16n8k16, mma_m16n16k16)
extern "C" __global__ void mma_half_16x8x8(params p) { multiply_once<half, i16, j8, k8>(p); }
extern "C" __global__ void mma_half_16x8x16(params p) { multiply_once<half, i16, j8, k16>(p); }
extern "C" __global__ void mma_half_16x16x16(params p) { multiply_once<half, i16, j16, k16>(p); }
extern "C" __global__ void mma_bfloat16_16x8x8(params p) {
    multiply_once<bfloat16, i16, j8, k8>(p);
}
extern "C" __global__ void mma_bfloat16_16x8x16(params p) {
    multiply_once<bfloat16, i16, j8, k16>(p);
}
extern "C" __global__ void mma_bfloat16_16x16x16(params p) {
    multiply_once<bfloat16, i16, j16, k16>(p);
}
