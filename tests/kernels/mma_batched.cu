// Two products of 32 x 64 by 64 x 32 over tensors of fragments, half of K at a time.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A swizzle exchanges cells by their row, so that
// lanes read different banks. A fragment is the part of a matrix that one instruction of the tensor
// cores takes from the registers of a warp. Names in parentheses are rows of the conformance list
// in tests/house: what the algebra must do. for_lane<lane_index>(lane) says which elements of a
// fragment a lane holds. row_index() is the row that a lane gives to ldmatrix or stmatrix. origin()
// is a tensor's cursor at position zero.
#include "mma.h"

#include "spio/facts.h"
#include "spio/swizzle.h"
#include "spio/tile/multiply.cuh"
#include "spio/tile/tile_loader.cuh"

namespace spio::test::mma {

inline constexpr auto n = axis<N>(batched.n);
inline constexpr auto i = axis<I>(batched.i);
inline constexpr auto j = axis<J>(batched.j);
inline constexpr auto k = axis<K>(batched.k);
inline constexpr auto step = axis<K>(32);
using Step = fold<K, 32>;

using left = left_fragment<half, i % 16, k % 16>;
using right = right_fragment<half, k % 16, j % 16>;
using sum = sum_fragment<i % 16, j % 16>;
using left_fragments = tensor<left, n, step / 16, i / 16>;
using right_fragments = tensor<right, n, step / 16, j / 16>;
using sum_fragments = tensor<sum, n, i / 16, j / 16>;
// Dividing the axes of a tensor by a fragment's size gives a tensor of fragments.
// (TestTensorDivideByFragment.test_division_sets_data_type_to_Fragment,
// test_division_different_fragment_sizes, TestTensorWithFragmentType.test_fragment_as_dtype,
// TestTensorPositionalDimArgs.test_positional_with_fragment_dtype)
static_assert(same<left_fragments::data_type, left> &&
              left_fragments::size<fold<I, 16>>() == fold<I, 16>(2));
static_assert(sum_fragments::extents() == make_coordinates(N(2), I(32), J(32)));
// Fragments are made of 16-bit factors and nothing else.
// (TestFragmentSpecs.test_fragment_type_has_dtype,
// TestFragmentFactory.test_rejects_invalid_dtype_for_a)
template <class T>
concept multiplied = requires { typename left_fragment<T, i % 16, k % 16>; };
static_assert(same<left::data_type, half2> && same<sum::data_type, vec<float, 2>>);
static_assert(multiplied<half> && multiplied<bfloat16> && !multiplied<float> && !multiplied<int>);

using half8 = vec<half, 8>;
using left_tile = tensor<half8, n, i, swizzle(k / 8, i % 8)>;
using right_tile = tensor<half8, n, j, swizzle(k / 8, j % 8)>;
static_assert(bank_conflicts<left_tile, left::map::rows>() == 0);
static_assert(bank_conflicts<right_tile, right::map::rows>() == 0);

using float2 = vec<float, 2>;
using products = tensor<float2, n, i, j / 2>;

// Begins to copy a tile from global to shared memory.
template <class Tile, class Source>
__device__ void copy_to(Tile const& tile, Source const& source) {
    auto const x = source.origin();
    tile_loader<Tile, 32, decltype(x)>(x, this_thread()).load(tile);
}

extern "C" __global__ void mma_batched(params p) {
    auto const [a_tile, after_a] =
        dynamic_shared_memory<batched.shared_bytes()>().push<left_tile>();
    auto const [b_tile, after_b] = after_a.push<right_tile>();
    copy_to(a_tile, tensor<half8 const, n, i, k / 8>(reinterpret_cast<half8 const*>(p.a)));
    copy_to(b_tile, tensor<half8 const, n, j, k / 8>(reinterpret_cast<half8 const*>(p.b)));
    commit_copies();
    wait_for_copies();
    sync_warp();

    left left_data[left_fragments::storage_size()];
    right right_data[right_fragments::storage_size()];
    sum sum_data[sum_fragments::storage_size()];
    auto const a = left_fragments(left_data);
    auto const b = right_fragments(right_data);
    auto const c = sum_fragments(sum_data);
#pragma unroll
    for (auto const position : range(c)) c[position]->zero();
#pragma unroll
    for (auto const half_of_k : range(Step(2))) {
#pragma unroll
        for (auto const position : range(a))
            a[position]->load(a_tile[half_of_k][position][left::row_index()]);
#pragma unroll
        for (auto const position : range(b))
            b[position]->load(b_tile[half_of_k][position][right::row_index()]);
        multiply(c, a, b);
    }

    auto const result =
        products(reinterpret_cast<float2*>(p.c))[for_lane<sum::lane_index>(this_lane())];
#pragma unroll
    for (auto const position : range(c)) {
#pragma unroll
        for (auto const piece : range(sum::pieces()))
            *result[position][piece] = *(*c[position])[piece];
    }
}

} // namespace spio::test::mma
