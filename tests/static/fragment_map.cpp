// The elements of a fragment that each lane holds, and the rows it loads, against PTX's tables.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis is a function of several positions, such as a
// swizzle. A ring is an axis around which positions wrap. A compound index is one number for
// several indices, the last of which varies fastest.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
#include "spio/tile/fragment_map.h"

import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct WARP : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::bounded;
using spio::compound_index;
using spio::fold;
using spio::LANE;
using spio::left_map;
using spio::right_map;
using spio::sum_map;
using spio::tensor;
using K2 = fold<K, 2>;
using J2 = fold<J, 2>;
using K8 = fold<K, 8>;
using J8 = fold<J, 8>;

constexpr auto i16 = axis<I>(16);
constexpr auto j8 = axis<J>(8);
constexpr auto j16 = axis<J>(16);
constexpr auto k8 = axis<K>(8);
constexpr auto k16 = axis<K>(16);
struct two {
    float words[2];
};

// Whether f(lane, n, position) holds for the position of a lane's n-th piece, for all lanes and
// pieces.
template <class Map, class Function> constexpr bool for_all(Function f) {
    using pieces = typename Map::template pieces<two>;
    int count = 0;
    for (auto const piece : range(pieces())) {
        int const n = static_cast<int>(pieces()[piece].offset());
        for (int lane = 0; lane < 32; ++lane, ++count) {
            if (!f(lane, n, typename Map::lane_index(lane) + piece)) return false;
        }
    }
    return count == 32 * pieces::storage_size();
}

// Pieces of the left factor: piece n of a lane has row lane / 4 + 8 (n % 2) and the columns 2 (lane
// % 4) + 8 (n / 2) and the next. (MMA_A_88_F16_Index.indices, FragmentIndex.MMA_M16_K16_F16_A)
template <class Map> constexpr bool is_left() {
    return for_all<Map>([](int lane, int n, auto position) {
        K const k = position.template total<K>();
        return position.template total<I>() == I(lane / 4 + 8 * (n & 1)) &&
               k == K2(lane % 4 + 4 * (n >> 1)) && K8(k) == K8(n >> 1) &&
               spio::modulo<4>(K2(k)) == K2(lane % 4);
    });
}
static_assert(is_left<left_map<i16, k16>>() && is_left<left_map<i16, k8>>());

// Pieces of the right factor: the same with columns of J for rows, and n / 2 and n % 2 exchanged.
// (MMA_B_88_F16_Index.indices, FragmentIndex.MMA_B_N16_K16_F16_Index, MMA_N8_K8_F16_B)
template <class Map> constexpr bool is_right() {
    return for_all<Map>([](int lane, int n, auto position) {
        K const k = position.template total<K>();
        return position.template total<J>() == J(lane / 4 + 8 * (n >> 1)) &&
               k == K2(lane % 4 + 4 * (n & 1)) && K8(k) == K8(n & 1) &&
               spio::modulo<4>(K2(k)) == K2(lane % 4);
    });
}
static_assert(is_right<right_map<k16, j16>>() && is_right<right_map<k16, j8>>() &&
              is_right<right_map<k8, j8>>());

// Pieces of the sum: as those of the left factor, with J for K. (MMA_C_M16_N16_F32_Index.indices,
// FragmentIndex.MMA_M16_N16_F32_C)
template <class Map> constexpr bool is_sum() {
    return for_all<Map>([](int lane, int n, auto position) {
        J const j = position.template total<J>();
        return position.template total<I>() == I(lane / 4 + 8 * (n & 1)) &&
               j == J2(lane % 4 + 4 * (n >> 1)) && J8(j) == J8(n >> 1) &&
               spio::modulo<4>(J2(j)) == J2(lane % 4);
    });
}
static_assert(is_sum<sum_map<i16, j16>>() && is_sum<sum_map<i16, j8>>());

// Within a piece of 8 x 8 numbers each lane has the same place.
// (MMA_C_88_F32_Index.derived_dims_interface)
constexpr bool lanes_are_the_same_in_each_piece() {
    using index = sum_map<i16, j16>::lane_index;
    for (int lane = 0; lane < 32; ++lane) {
        if (index(lane).get<I>() != I(lane / 4) || index(lane).get<J2>() != J2(lane % 4)) {
            return false;
        }
    }
    return index::size() == 32 && index::size<I>() == 8 && index::size<J2>() == 4;
}
static_assert(lanes_are_the_same_in_each_piece());

// Each element belongs to one lane.
template <class Map, int Elements> constexpr bool holds_each_once() {
    bool held[Elements] = {};
    bool is_unique = true;
    for_all<Map>([&](int, int, auto position) {
        using rows = typename Map::template pieces<two>;
        constexpr int columns = sizeof(held) / 16;
        K const column = position.template total<K>();
        static_assert(rows::template extent<K>() == K(columns));
        for (int n = 0; n < 2; ++n) {
            bool& element = held[position.template total<I>().value * columns + column.value + n];
            is_unique &= !element;
            element = true;
        }
        return true;
    });
    for (bool const element : held) is_unique &= element;
    return is_unique;
}
static_assert(holds_each_once<left_map<i16, k16>, 256>() &&
              holds_each_once<left_map<i16, k8>, 128>());

// The row of 16 bytes that each lane points to when it loads a fragment.
// (MMA_A_M16_K8_F16_LoadIndex.derived_dims_interface,
// MMA_A_M16_K16_F16_LoadIndex.derived_dims_interface,
// MMA_B_N8_K8_F16_LoadIndex.derived_dims_interface,
// MMA_B_N8_K16_F16_LoadIndex.derived_dims_interface,
// MMA_B_N16_K16_F16_LoadIndex.derived_dims_interface, FragmentLoadIndex.MMA_M16_K16_F16_A)
template <class Index, class Expected> constexpr bool points_to(int rows, Expected expected) {
    for (int lane = 0; lane < rows; ++lane) {
        if (Index(lane).coordinates() != expected(lane)) return false;
    }
    return Index::size() == rows;
}
static_assert(points_to<left_map<i16, k8>::rows>(16, [](int l) { return K8(0) + I(l); }));
static_assert(points_to<left_map<i16, k16>::rows>(32,
                                                  [](int l) { return K8(l / 16) + I(l % 16); }));
static_assert(points_to<right_map<k8, j8>::rows>(8, [](int l) { return K8(0) + J(l); }));
static_assert(points_to<right_map<k16, j8>::rows>(16, [](int l) { return K8(l / 8) + J(l % 8); }));
static_assert(points_to<right_map<k16, j16>::rows>(32, [](int l) {
    return K8(l / 8 % 2) + J(l % 8 + l / 16 * 8);
}));
// Transposed, memory runs along the other dimension: the n-th eight rows belong to the n-th piece.
using I8 = fold<I, 8>;
static_assert(points_to<left_map<i16, k16>::transposed_rows>(32, [](int l) {
    return I8(l / 8 % 2) + K(l % 8 + l / 16 * 8);
}));
static_assert(points_to<right_map<k16, j16>::transposed_rows>(32, [](int l) {
    return J8(l / 16) + K(l % 16);
}));

// The row of a lane can be asked of any index that has LANE, or a part of it, beside other
// dimensions. (MMA_A_M16_K16_F16_LoadIndex.from_compound_index_with_lane,
// from_compound_index_with_extra_dims, from_compound_index_with_module_lane,
// from_compound_index_with_fold_lane, MMA_B_N16_K16_F16_LoadIndex.from_compound_index_with_lane,
// MMA_A_M16_K8_F16_LoadIndex.from_compound_index_with_lane,
// MMA_B_N8_K16_F16_LoadIndex.from_compound_index_with_lane)
using Thread = compound_index<axis<WARP>(4), axis<LANE>(32)>;
template <class Rows> constexpr bool follows_lanes() {
    for (int thread = 0; thread < 128; ++thread) {
        Rows const expected(thread % 32 % Rows::size());
        auto const is_expected = [&](auto const& position) {
            return spio::for_lane<Rows>(position).coordinates() == expected.coordinates();
        };
        bool const finds_it = is_expected(Thread(thread)) && is_expected(LANE(thread % 32)) &&
                              is_expected(spio::make_coordinates(bounded<LANE, 32>(thread % 32)));
        if (!finds_it) return false;
    }
    return spio::for_lane<Rows>(fold<LANE, 8>(1)).coordinates() ==
           Rows(8 % Rows::size()).coordinates();
}
static_assert(follows_lanes<left_map<i16, k16>::rows>() &&
              follows_lanes<left_map<i16, k8>::rows>());
static_assert(follows_lanes<right_map<k16, j16>::rows>() &&
              follows_lanes<right_map<k16, j8>::rows>());
template <class At>
concept tells_a_lane =
    requires(At position) { spio::for_lane<left_map<i16, k16>::rows>(position); };
static_assert(tells_a_lane<Thread> && !tells_a_lane<WARP> && !tells_a_lane<int>);

// A fragment has the extents of its axes. (TestFragmentSpecs.test_fragment_type_has_num_rows,
// test_fragment_type_has_num_cols, TestFragmentSize.test_size_returns_row_size_for_row_dim,
// test_size_returns_col_size_for_col_dim, test_size_with_fold_dims,
// test_size_different_fragment_types)
template <class Map> using pieces_of = typename Map::template pieces<two>;
static_assert(pieces_of<left_map<i16, k8>>::extent<I>() == I(16) &&
              pieces_of<left_map<i16, k8>>::extent<K>() == K(8));
static_assert(pieces_of<right_map<k16, j8>>::extent<K8>() == K8(2) &&
              pieces_of<right_map<k16, j8>>::extent<J>() == J(8));
static_assert(pieces_of<sum_map<i16, j16>>::extent<I>() == I(16) &&
              pieces_of<sum_map<i16, j16>>::extent<J>() == J(16));
// A fragment has no extent of a dimension that it lacks.
// (TestFragmentSize.test_size_raises_for_unknown_dim)
template <class Map, class D>
concept spans_dimension = requires { pieces_of<Map>::template extent<D>(); };
static_assert(spans_dimension<left_map<i16, k8>, K> && !spans_dimension<left_map<i16, k8>, J>);

// Fragments have the sizes of the instructions, and no others.
// (TestFragmentFactory.test_creates_a_fragment_m16_k16, test_creates_a_fragment_m16_k8,
// test_creates_b_fragment_n8_k16, test_creates_b_fragment_n8_k8, test_creates_b_fragment_n16_k16,
// test_creates_c_fragment_m16_n16, test_creates_c_fragment_m16_n8, test_works_with_static_fold,
// test_rejects_invalid_dimensions_for_a, test_rejects_invalid_dimensions_for_b,
// test_rejects_invalid_dimensions_for_c)
template <auto A, auto B>
concept makes_a_left = requires { typename left_map<A, B>; };
template <auto A, auto B>
concept makes_a_right = requires { typename right_map<A, B>; };
template <auto A, auto B>
concept makes_a_sum = requires { typename sum_map<A, B>; };
constexpr auto k64 = axis<K>(64);
constexpr auto i8 = axis<I>(8);
static_assert(makes_a_left<i16, k16> && makes_a_left<i16, k8> && makes_a_left<i16, k64 % 16>);
static_assert(makes_a_right<k16, j8> && makes_a_right<k8, j8> && makes_a_right<k16, j16>);
static_assert(makes_a_sum<i16, j16> && makes_a_sum<i16, j8>);
static_assert(!makes_a_left<i8, k16> && !makes_a_left<i16, k64> && !makes_a_left<i16, k64 / 8>);
static_assert(!makes_a_right<k64, j8> && !makes_a_right<k16, axis<J>(4)>);
static_assert(!makes_a_sum<i8, j8> && !makes_a_sum<i16, axis<J>(32)>);
// Fragments are made of axes with static sizes that are no rings.
// (TestFragmentFactory.test_rejects_non_static_dim)
static_assert(!makes_a_left<axis<I>(spio::dynamic), k16> && !makes_a_left<i16, k16.ring()>);
