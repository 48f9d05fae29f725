// The promised surface: the five lessons and what comes after them, as a reader would write them.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. What is late is known
// only at run time. A compound index is one number for several indices, the last of which varies
// fastest.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
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
struct N : spio::dim {
    using dim::dim;
};
using spio::make_coordinates;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
template <class A, class B>
concept equates = requires(A a, B b) { a == b; };
// Whether the sum of two such values compiles.
template <class A, class B>
concept adds = requires(A a, B b) { a + b; };

constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(32);
constexpr auto j = spio::axis<J>(64);

// 1. Integers that remember their name. (Lesson1.TypeSafety)
static_assert(I(2) + I(4) == I(6));
static_assert(I(8) < I(10));
static_assert(!equates<I, J> && !adds<I, int>);
static_assert(I(3) + J(4) + K(5) == spio::make_coordinates(I(3), J(4), K(5)));

// 2. Tensors, subscripts, projection. (Lesson1.Commutativity)
constexpr bool lesson2() {
    using A = spio::tensor<float, i, k>;
    using B = spio::tensor<float, k, j>;
    A::data_type data[A::storage_size()] = {};
    B::data_type b_data[B::storage_size()] = {};
    auto a = A(data);
    auto b = B(b_data);
    if (A::size<I>() != I(16) || a.extents() != make_coordinates(I(16), K(32))) return false;
    if (a[I(2)][K(4)].get() != a[K(4)][I(2)].get()) return false;
    if (a[I(2) + K(4)].get() != data + 2 * 32 + 4) return false;
    auto const world = make_coordinates(I(2), J(3), K(4));
    if (a[world].get() != a[I(2)][K(4)].get() || b[world].get() != b[K(4)][J(3)].get())
        return false;
    *a[I(2)][K(4)] = 1.0f;
    return data[2 * 32 + 4] == 1.0f;
}
static_assert(lesson2());

// 3. Cursors.
constexpr bool lesson3() {
    float data[16 * 64] = {};
    auto a = spio::tensor<float, i, j>(data);
    auto b = a[I(2)][J(4)];
    b.step(I(1));
    return b.get() - data == 3 * 64 + 4;
}
static_assert(lesson3());

// 4. Folds. (Lesson3.Folding, Lesson3.CrossFoldCarry)
using K8 = spio::fold<K, 8>;
static_assert(K8(3) == K(24));
static_assert(K8(3) + K(4) == K(28));
constexpr bool lesson4() {
    using A = spio::tensor<float, k / 8, i, k % 8>;
    using Finer = spio::tensor<float, (k % 16) / 8, k / 16, i, k % 8>;
    using Finest = spio::tensor<float, k / 8 % 4, i, k % 8 / 4, k % 4>;
    float data[A::storage_size()] = {};
    auto a = A(data);
    for (auto n : spio::range(K(32))) {
        static_assert(same<decltype(n), K>);
        auto const block = K8(n);
        if (a[I(3)][n].get() != a[I(3)][block][n - block].get()) return false;
        if (a[I(3)][n].get() - data != n.get() / 8 * 128 + 3 * 8 + n.get() % 8) return false;
        if (Finer(data)[n][I(0)].get() - data !=
            n.get() / 8 % 2 * 256 + n.get() / 16 * 128 + n.get() % 8) {
            return false;
        }
        if (Finest(data)[n].get() - data != n.get() / 8 * 128 + n.get() % 8) return false;
    }
    if (a[I(3)][K(13)].get() != a[I(3)][K8(1)][K(5)].get()) return false;
    for (int e = 0; e < 8; ++e) {
        for (int f = 0; f < 8; ++f) {
            if (a[K(e)][K(f)].get() != a[K(e + f)].get()) return false;
        }
    }
    auto stepped = a[K(7)];
    stepped.step(K(5));
    return a[K(4)][K(4)].get() == a[K(8)].get() && a[K(7)][K(5)].get() == a[K(12)].get() &&
           a[K(12)].get() == a[K8(1)][K(4)].get() && stepped.get() == a[K(12)].get();
}
static_assert(lesson4());

// 5. World coordinates: the origin of a tile plus a position in it. They subscript whole tensors,
// each of which takes only the dimensions that it has. Each element of the tile is visited.
// (Lesson4.DimensionalProjection)
constexpr bool lesson5() {
    using A = spio::tensor<int, i, k>;
    using C = spio::tensor<int, i, j>;
    using C_tile = spio::tensor<int, spio::axis<I>(8).pitch(64), spio::axis<J>(32)>;
    static_assert(C_tile::size() == 8 * 32 && C_tile::storage_size() == 7 * 64 + 32);
    int a_data[A::storage_size()] = {};
    int c_data[C::storage_size()] = {};
    for (int n = 0; n < 16 * 64; ++n) c_data[n] = n;
    auto a = A(a_data);
    auto c = C(c_data);
    auto const origin = make_coordinates(I(12), J(60));
    auto c_tile = C_tile(c[origin].get());
    int visited = 0;
    int inside = 0;
    for (auto idx : spio::range(c_tile)) {
        auto world = origin + idx + K(3);
        ++visited;
        if (world < c.extents()) {
            ++inside;
            if (*c_tile[idx] != *c[world] || c_tile[idx].get() != c[world].get()) return false;
        }
        if (world < a.extents()) *a[world] = 1;
    }
    int marked = 0;
    for (int x : a_data) marked += x;
    return visited == 256 && inside == 4 * 4 && marked == 4;
}
static_assert(lesson5());

// 6. Compound indices. (Lesson5.CompoundIndex)
using Block = spio::compound_index<i / 16, j / 16>;
using Thread = spio::compound_index<i % 16, j % 16>;
static_assert(Block::size() == 4 && Thread::size() == 256);
constexpr bool lesson6() {
    constexpr auto rows = spio::axis<I>(512);
    constexpr auto columns = spio::axis<J>(512);
    using Blocks = spio::compound_index<rows / 16, columns / 16>;
    using Threads = spio::compound_index<rows % 16, columns % 16>;
    static_assert(Blocks::size() == 32 * 32 && Threads::size() == 16 * 16);
    auto a = spio::tensor<float const, rows, columns>();
    for (unsigned block = 0; block < 1024; block += 93) {
        for (unsigned thread = 0; thread < 256; thread += 17) {
            unsigned const row = block / 32 * 16 + thread / 16;
            unsigned const column = block % 32 * 16 + thread % 16;
            if (a[Blocks(block)][Threads(thread)].offset() != int(row * 512 + column)) return false;
        }
    }
    return true;
}
static_assert(lesson6());

// 7. Derived dimensions.
struct half8 {
    unsigned words[4];
};
using Swizzled = spio::tensor<half8, k / 16, i / 16, spio::checkerboard(i % 16, (k % 16) / 8)>;
static_assert(Swizzled::size() == 64 && Swizzled::num_bytes() == 1024);
static_assert(Swizzled()[I(5)][K(8)].offset() == 10 && Swizzled()[K(24) + I(5)].offset() == 42);

// 8. Sizes known late.
using Late = spio::tensor<float, spio::axis<N>(spio::dynamic), i, k>;
constexpr bool lesson8() {
    float data[3 * 512] = {};
    auto late = Late(data, N(3));
    return late.size<N>() == N(3) && late.size<I>() == I(16) && late.size() == 3 * 512 &&
           late[N(2)][I(1)][K(4)].get() == data + 2 * 512 + 32 + 4 && !late[N(3)].inbounds();
}
static_assert(lesson8());
