// Tensors over memory: an element written through one subscript is read through every other.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. rebase() makes a cursor
// that holds its address, computed once. A compound index is one number for several indices, the
// last of which varies fastest. Names in parentheses are rows of the conformance list in
// tests/house: what the algebra must do.
#include <doctest/doctest.h>

#include <numeric>
#include <vector>

import spio.dims;

struct H : spio::dim {
    using dim::dim;
};
struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::fold;
using spio::make_coordinates;
using spio::tensor;

// Memory for a tensor, in which each element is its own offset.
template <class Tensor> auto counting_up() {
    std::vector<typename Tensor::data_type> data(Tensor::storage_size());
    std::iota(data.begin(), data.end(), typename Tensor::data_type(0));
    return data;
}

TEST_CASE("a small matrix is read by subscripts and by a rebased cursor (Tensor.tensor_2d_small)") {
    using T = tensor<float, axis<H>(4), axis<W>(8)>;
    auto data = counting_up<T>();
    T const t(data.data());
    CHECK(T::size<H>() == H(4));
    CHECK(T::size<W>() == W(8));
    for (auto h : spio::range(H(4))) {
        for (auto w : spio::range(W(8))) {
            CHECK(*t[h][w] == h.get() * 8 + w.get());
            CHECK(*t[h].rebase()[w] == h.get() * 8 + w.get());
        }
    }
}

TEST_CASE("slices of a matrix are its rows and columns from a start on (Tensor.tensor_2d)") {
    using T = tensor<int, axis<H>(480), axis<W>(640)>;
    auto data = counting_up<T>();
    T const t(data.data());
    auto const rows = spio::slice<64>(t, H(20));
    auto const columns = spio::slice<64>(t, W(10));
    CHECK(rows.size<H>() == H(64));
    CHECK(rows.size<W>() == W(640));
    CHECK(columns.size<W>() == W(64));
    bool equal = true;
    for (auto x : range(t)) equal &= *t[x] == x.get<H>().get() * 640 + x.get<W>().get();
    for (auto x : range(rows)) equal &= *rows[x] == *t[x][H(20)];
    for (auto x : range(columns)) equal &= *columns[x] == *t[x + W(10)];
    CHECK(equal);
}

TEST_CASE("a pitch moves the rows of a matrix and of its slices (Tensor.tensor_2d_custom_stride)") {
    using T = tensor<int, axis<H>(480).pitch(1024), axis<W>(640)>;
    auto data = counting_up<T>();
    T const t(data.data());
    CHECK(T::storage_size() == 479 * 1024 + 640);
    bool equal = true;
    int visits = 0;
    for (auto x : range(t)) {
        equal &= *t[x] == x.get<H>().get() * 1024 + x.get<W>().get();
        ++visits;
    }
    auto const part = spio::slice<32>(spio::slice<16>(t, H(100)), W(200));
    for (auto x : range(part)) equal &= *part[x] == *t[x][H(100)][W(200)];
    CHECK(equal);
    CHECK(visits == 480 * 640);
}

TEST_CASE(
    "a compound index subscripts like its values one after the other (Tensor.IndexSubscript)") {
    constexpr auto i = axis<I>(16);
    constexpr auto j = axis<J>(8);
    constexpr auto k = axis<K>(4);
    using Index = spio::compound_index<i, j, k>;
    using T = tensor<int, i, j, k>;
    auto data = counting_up<T>();
    T const t(data.data());
    for (int offset = 0; offset < Index::size(); ++offset) {
        Index const index(offset);
        CHECK(*t[index] == offset);
        CHECK(t[index].get() == t[index.get<I>()][index.get<J>()][index.get<K>()].get());
        CHECK(t[index].get() == t[index.get<K>()][index.get<J>()][index.get<I>()].get());
    }
}

// Every element in four subscript orders, through an index, and through its range.
template <class T, class... Sizes>
void reads_in_every_order(int h_stride, int i_stride, int n_stride) {
    auto data = counting_up<T>();
    T const t(data.data());
    bool equal = true;
    int visits = 0;
    for (auto x : range(t)) {
        auto const n = x.template get<N>();
        auto const i = x.template get<I>();
        auto const h = x.template get<H>();
        auto const w = x.template get<W>();
        int const expected = n.get() * n_stride + i.get() * i_stride + h.get() * h_stride + w.get();
        equal &= *t[n][i][h][w] == expected && *t[w][h][i][n] == expected;
        equal &= *t[i][n][w][h] == expected && *t[h][w][n][i] == expected;
        equal &= *t[x] == expected && t[x].offset() == expected && *t[n + h][i + w] == expected;
        ++visits;
    }
    CHECK(equal);
    CHECK(visits == 7 * 16 * 33 * 42);
}

TEST_CASE("without pitches the offset is the number of the element "
          "(ContiguousTensor.offset_from_tensor)") {
    using T = tensor<int, axis<N>(7), axis<I>(16), axis<H>(33), axis<W>(42)>;
    CHECK(T::size() == 7 * 16 * 33 * 42);
    CHECK(T::num_bytes() == 7 * 16 * 33 * 42 * 4);
    reads_in_every_order<T>(/*h_stride=*/42, 33 * 42, 16 * 33 * 42);

    using Index = spio::compound_index<axis<N>(7), axis<I>(16), axis<H>(33), axis<W>(42)>;
    T const t;
    bool equal = true;
    for (int offset = 0; offset < Index::size(); ++offset)
        equal &= t[Index(offset)].offset() == offset;
    CHECK(equal);
}

TEST_CASE("with pitches the offset follows from the strides (StrideTensor.offset_from_tensor)") {
    using T =
        tensor<int, axis<N>(7), axis<I>(16).pitch(34 * 44), axis<H>(33).pitch(44), axis<W>(42)>;
    CHECK(T::size() == 7 * 16 * 33 * 42);
    CHECK(T::storage_size() == 1 + 6 * 16 * 34 * 44 + 15 * 34 * 44 + 32 * 44 + 41);
    CHECK(T::num_bytes() == T::storage_size() * 4);
    reads_in_every_order<T>(/*h_stride=*/44, 34 * 44, 16 * 34 * 44);
}

TEST_CASE("a tensor of one dimension is an array (DensTensor1D.offset_from_tensor)") {
    std::vector<float> data(35);
    std::iota(data.begin(), data.end(), 0.0f);
    tensor<float const, axis<I>(35)> const t(data.data());
    for (auto i : spio::range(I(35))) CHECK(*t[i] == i.get());
    CHECK(t.size() == 35);
}

TEST_CASE("vectors are the elements of the tensor (WithVectorWidth.memory_access)") {
    struct alignas(16) float4 {
        float x, y, z, w;
    };
    constexpr auto j = axis<J>(64);
    using Narrow = tensor<float, axis<N>(4), (j / 4).pitch(132), axis<I>(32), j % 4>;
    std::vector<float4> storage((Narrow::storage_size() + 3) / 4);
    Narrow const narrow(&storage[0].x);
    auto const wide = spio::as_vectors<float4>(narrow);
    CHECK(wide.size() * 4 == narrow.size());
    for (auto x : range(wide)) {
        CHECK(&wide[x]->x == narrow[x].get());
        wide[x]->z = 1.0f;
        CHECK(*narrow[x][J(2)] == 1.0f);
    }
    auto const read_only =
        spio::as_vectors<float4 const>(tensor<float const, axis<I>(8)>(&storage[0].x));
    CHECK(&read_only[fold<I, 4>(1)]->x == &storage[1].x);
}

// The elements of one thread: a tensor subscripted by the indices of the thread.
template <class Tensor> auto view_of(Tensor const& t, int block, int thread) {
    using Block = spio::compound_index<axis<I>(16) / 8, axis<J>(8) / 8>;
    using Thread = spio::compound_index<axis<I>(16) % 8>;
    return t[Block(block)][Thread(thread)];
}

// A tensor can be passed by value, read-only, made of a pointer, or as vectors, and is then
// subscripted in the same way. (CursorInitializer.accepts_derived_tensor, accepts_raw_pointer,
// vector_length_accepts_ancestor, vector_length_data_access;
// TestCursorInitializer.test_initializer_single_index, test_initializer_multiple_indices,
// test_subscript_syntax_single, test_subscript_syntax_multiple)
TEST_CASE(
    "a function takes tensors and views of them (CursorInitializer.accepts_ancestor_tensor)") {
    struct alignas(16) float4 {
        float lanes[4];
    };
    float4 data[16 * 2] = {};
    using Base = tensor<float, axis<I>(16), axis<J>(8)>;
    using ReadOnly = tensor<float const, axis<I>(16), axis<J>(8)>;
    Base const base(&data[0].lanes[0]);
    ReadOnly const read_only = base;
    CHECK(view_of(base, 1, 3).get() == base[I(11)].get());
    CHECK(view_of(read_only, 1, 3).get() == base[I(11)].get());
    CHECK(view_of(Base(base.get()), 1, 3).get() == base[I(11)].get());
    auto const wide = spio::as_vectors<float4>(base);
    for (auto i : spio::range(I(16))) {
        for (auto j : spio::range(J(8))) *base[i][j] = i.get() * 8 + j.get();
    }
    auto const element = view_of(wide, /*block=*/1, /*thread=*/3)[fold<J, 4>(1)];
    for (int lane = 0; lane < 4; ++lane) CHECK(element->lanes[lane] == 11 * 8 + 4 + lane);
}

TEST_CASE("fill() and apply() reach each element and nothing between them "
          "(TestTensorDerivedMethods.fill_zero_apply)") {
    constexpr auto k = axis<K>(16);
    using T =
        tensor<int, (k / 8).pitch(100), axis<I>(4).pitch(20), spio::swizzle(k % 8, axis<I>(4))>;
    std::vector<int> data(T::storage_size(), -1);
    T const t(data.data());
    t.fill(5);
    CHECK(std::accumulate(data.begin(), data.end(), 0) == 5 * 64 - (T::storage_size() - 64));
    int visits = 0;
    t.apply([&](auto const& element) { visits += *element == 5; });
    CHECK(visits == 64);
    t.zero();
    CHECK(std::accumulate(data.begin(), data.end(), 0) == -(T::storage_size() - 64));
}

TEST_CASE("a tensor of fragments lives in registers") {
    struct fragment {
        float values[4];
    };
    fragment registers[2 * 3] = {};
    tensor<fragment, axis<I>(32) / 16, axis<J>(24) / 8> const c(registers);
    c[fold<I, 16>(1)][fold<J, 8>(1)]->values[3] = 2.0f;
    CHECK(registers[4].values[3] == 2.0f);
    CHECK(c.size<fold<I, 16>>() == fold<I, 16>(2));
}
