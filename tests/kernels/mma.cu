// Products of single fragments, and of tensors of them in a loop over K.
// SPDX-License-Identifier: Apache-2.0
#include "mma.h"

#include "spio/facts.h"
#include "spio/swizzle.h"
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
    auto const mine = y[typename sum::lane_index(this_lane().get())];
    for (auto const piece : range(typename sum::pieces())) *mine[piece] = *c[piece];
}

// Two products of 32 x 64 by 64 x 32, half of K at a time.
struct tiles {
    static constexpr auto n = axis<N>(batched.n);
    static constexpr auto i = axis<I>(batched.i);
    static constexpr auto j = axis<J>(batched.j);
    static constexpr auto k = axis<K>(batched.k);
    static constexpr auto step = axis<K>(32);
    using Step = fold<K, 32>;

    using left = left_fragment<half, i % 16, k % 16>;
    using right = right_fragment<half, k % 16, j % 16>;
    using sum = sum_fragment<i % 16, j % 16>;
    using half8 = vec<half, 8>;
    using left_tile = tensor<half8, n, i, swizzle(k / 8, i % 8)>;
    using right_tile = tensor<half8, n, j, swizzle(k / 8, j % 8)>;
    static_assert(bank_conflicts<left_tile, left::rows>() == 0);
    static_assert(bank_conflicts<right_tile, right::rows>() == 0);

    using left_fragments = tensor<left, n, step / 16, i / 16>;
    using right_fragments = tensor<right, n, step / 16, j / 16>;
    using sum_fragments = tensor<sum, n, i / 16, j / 16>;

    __device__ static void run(params const& p) {
        auto const memory = dynamic_shared_memory<batched.shared_bytes()>();
        auto const [a_tile, after_a] = memory.push<left_tile>();
        auto const [b_tile, after_b] = after_a.push<right_tile>();
        copy_rows(a_tile, tensor<half8 const, n, i, k / 8>(reinterpret_cast<half8 const*>(p.a)));
        copy_rows(b_tile, tensor<half8 const, n, j, k / 8>(reinterpret_cast<half8 const*>(p.b)));
        commit_copies();
        wait_for_copies();
        sync_warp();

        left left_data[left_fragments::storage_size()];
        right right_data[right_fragments::storage_size()];
        sum sum_data[sum_fragments::storage_size()];
        auto const a = left_fragments(left_data);
        auto const b = right_fragments(right_data);
        auto const c = sum_fragments(sum_data);
        for (auto const at : range(c)) c[at]->zero();
        for (auto const k : range(Step(2))) {
            for (auto const at : range(a)) a[at]->load(a_tile[k][at][left::row_index()]);
            for (auto const at : range(b)) b[at]->load(b_tile[k][at][right::row_index()]);
            multiply(c, a, b);
        }

        using pair_of_floats = vec<float, 2>;
        auto const y = tensor<pair_of_floats, n, i, j / 2>(reinterpret_cast<pair_of_floats*>(p.c));
        auto const mine = y[sum::lane_index(this_lane().get())];
        for (auto const at : range(c)) {
            for (auto const piece : range(sum::pieces())) *mine[at][piece] = *(*c[at])[piece];
        }
    }
    template <class Tile, class Source>
    __device__ static void copy_rows(Tile const& tile, Source const& source) {
        auto const x = source.origin();
        tile_loader<Tile, 32, decltype(x)>(x, this_thread()).load(tile);
    }
};

} // namespace spio::test::mma

using namespace spio;
using namespace spio::test::mma;

inline constexpr auto i16 = axis<I>(16);
inline constexpr auto j8 = axis<J>(8);
inline constexpr auto j16 = axis<J>(16);
inline constexpr auto k8 = axis<K>(8);
inline constexpr auto k16 = axis<K>(16);

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
extern "C" __global__ void mma_batched(params p) { tiles::run(p); }
