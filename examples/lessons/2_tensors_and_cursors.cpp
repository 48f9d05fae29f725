// Lesson 2: a tensor knows its axes by name, so the order of subscripts never matters.
// SPDX-License-Identifier: Apache-2.0
//
// An axis is a dimension with its size: axis<I>(16) has 16 values of I.
#include "check.h"

import spio.dims;

using I = spio::dimension<"I">;
using J = spio::dimension<"J">;
using K = spio::dimension<"K">;

// A dimension with a size is an axis. Axes are values, and they are written once.
constexpr auto i = spio::axis<I>(16);
constexpr auto j = spio::axis<J>(64);
constexpr auto k = spio::axis<K>(32);

// A tensor is an element type and the axes in the order in which they lie in memory, the last one
// contiguous. This is the only place that says so.
using A = spio::tensor<float, i, k>; // I rows of K
using B = spio::tensor<float, k, j>;
using C = spio::tensor<float, i, j>;

// What a layout knows, it knows at compile time.
static_assert(A::size<I>() == I(16));
static_assert(A::size<K>() == K(32));
static_assert(A::storage_size() == 16 * 32);
static_assert(A::extents() == I(16) + K(32));

// Subscripts select by type. Each one narrows the place down, in any order, one by one or all at
// once; the offset says which element it is.
static_assert(A()[I(2)][K(4)].offset() == 2 * 32 + 4);
static_assert(A()[K(4)][I(2)].offset() == 2 * 32 + 4);
static_assert(A()[I(2) + K(4)].offset() == 2 * 32 + 4);

// Subscripts of one dimension add up: t[a][b] is t[a + b], for every layout. This is what lets a
// kernel place a tensor at its block first and move within the block later.
static_assert(A()[I(2)][I(3)][K(4)].offset() == A()[I(5)][K(4)].offset());

// Coordinates project. A has no J, so A takes the I and the K out of these and leaves the J.
constexpr auto everywhere = spio::make_coordinates(I(2), J(3), K(4));
static_assert(A()[everywhere].offset() == A()[I(2)][K(4)].offset());
static_assert(B()[everywhere].offset() == B()[K(4)][J(3)].offset());

// A single value that the tensor lacks, however, is a mistake and does not compile; nor does a
// bare number.
template <class Tensor, class Subscript>
concept has_place_for = requires(Tensor t, Subscript s) { t[s]; };
static_assert(has_place_for<A, K>);
static_assert(!has_place_for<A, J>);
static_assert(!has_place_for<A, int>);

// With this, a matrix product is its formula: C(i, j) is the sum over k of A(i, k) B(k, j). It does
// not know how its operands are laid out, so it need not change when they are laid out anew.
template <class MatrixA, class MatrixB, class MatrixC>
constexpr void multiply(MatrixA a, MatrixB b, MatrixC c) {
    for (auto i : spio::range(c.template size<I>())) {
        for (auto j : spio::range(c.template size<J>())) {
            float sum = 0;
            for (auto k : spio::range(a.template size<K>())) sum += *a[i][k] * *b[j][k];
            *c[i][j] = sum;
        }
    }
}

int main() {
    A::data_type data[A::storage_size()] = {};
    auto const a = A(data);

    // A subscripted tensor is a cursor. It yields an address by get() and an element by *.
    check(a[I(2)][K(4)].get() == data + 2 * 32 + 4, "a cursor points to its element");
    *a[I(2)][K(4)] = 1.0F;
    check(*a[K(4)][I(2)] == 1.0F, "the same element by subscripts in another order");

    // A cursor can be kept, and stepped in place along any of its dimensions.
    auto cursor = a[I(2)][K(2)];
    cursor.step(I(1));
    cursor.step(K(1));
    check(cursor.get() - data == 3 * 32 + 3, "one step along I and one along K");

    int sum = 0;
    auto row = a[I(0)][K(4)];
    for (auto i : spio::range(A::size<I>())) {
        check(row.get() == a[i][K(4)].get(), "stepping and subscripting agree");
        sum += static_cast<int>(*row);
        row.step(I(1));
    }
    check(sum == 1, "a walk down the column meets the one element that was set");

    // It knows whether it is still inside, on both sides and in every dimension.
    check(a[I(15)][K(31)].inbounds(), "the last element is inside");
    check(!a[I(16)].inbounds(), "one beyond the end is not");
    check(!a[K(-1)].inbounds(), "nor is one before the start");

    // The product, with B row-major, then with B column-major: another line, the same answer.
    using Bt = spio::tensor<float, j, k>;
    float b_data[B::storage_size()];
    float bt_data[Bt::storage_size()];
    float c_data[C::storage_size()];
    float ct_data[C::storage_size()];
    for (auto place : spio::range(A())) {
        *a[place] = static_cast<float>((3 * place.get<I>().get() + place.get<K>().get()) % 7);
    }
    for (auto place : spio::range(B())) {
        auto const value =
            static_cast<float>((place.get<K>().get() + 5 * place.get<J>().get()) % 11);
        *B(b_data)[place] = value;
        *Bt(bt_data)[place] = value;
    }
    multiply(a, B(b_data), C(c_data));
    multiply(a, Bt(bt_data), C(ct_data));
    for (auto place : spio::range(C())) {
        check(*C(c_data)[place] == *C(ct_data)[place], "the product does not depend on the layout");
    }
    return wrong;
}
