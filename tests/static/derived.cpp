// Derived axes: functions of a position placed in a layout, evaluated when an address is asked for.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis is a function of several positions, such as a
// swizzle. A compound index is one number for several indices, the last of which varies fastest.
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
using spio::axis;
using spio::derived;
using spio::fold;
using spio::make_coordinates;
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// What tensors point to; only addresses in it matter.
constexpr char memory[8192] = {};
constexpr char const* middle = memory + 4096;
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char const, Axes...>;
// How far the element lies from the middle of the memory, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - middle; }
// Whether axes form a layout; axes of different sizes for one dimension, for example, do not.
template <auto... Axes>
concept lays_out = requires { typename spio::layout<Axes...>; };

constexpr auto i = axis<I>(16);
constexpr auto j = axis<J>(8);
constexpr auto k = axis<K>(32);

// A layout takes axes and derived axes, and nothing else.
// (CheckerboardDerivedDims.is_derived_dim_trait)
constexpr auto reversed = derived([](J x) { return 7 - x.get(); }, j);
static_assert(spio::axis_like<decltype(reversed)> && spio::axis_like<decltype(i)>);
static_assert(!spio::axis_like<int> && !spio::axis_like<I> && !spio::axis_like<spio::coords<I>>);
static_assert(lays_out<i, reversed> && !lays_out<i, 7>);

// A derived axis whose function takes one dimension, J.
using Reversed = chars<i, reversed>;
static_assert(offset_of(Reversed(middle)[I(2)][J(3)]) == 2 * 8 + 4 &&
              offset_of(Reversed(middle)[I(2)]) == 2 * 8 + 7);
static_assert(Reversed::size() == 128 && Reversed::extent<J>() == J(8) &&
              Reversed::storage_size() == 128);

// A function that cannot be called with its digits, or that returns no int, is refused; so is
// anything that is not an axis.
static_assert(!lays_out<i, derived([](K x) { return x.get(); }, j)>);
static_assert(!lays_out<i, derived([](J x, I y) { return (x + J(y.get())).get(); }, j)>);
static_assert(!lays_out<i, derived([](J x) { return J(7) - x; }, j)> && !lays_out<i, I(3)>);
static_assert(lays_out<i, derived([](auto x) { return 7 - x.get(); }, j)>);
constexpr auto total = [](auto... x) { return (0 + ... + x.get()); };
template <class... Ts>
concept derives = requires(Ts... xs) { derived(total, xs...); };
static_assert(derives<axis<I>, axis<J>> && !derives<> && !derives<int> && !derives<axis<I>, J>);
static_assert(!derives<decltype(reversed)>);
template <class T, class... Ts>
concept reads = requires(T t, Ts... xs) { t.reading(xs...); };
using Reading = decltype(reversed.reading(i));
static_assert(reads<decltype(reversed), axis<I>, axis<K>> && !reads<decltype(reversed), int>);
static_assert(!reads<Reading, axis<I>> && !reads<decltype(reversed), decltype(reversed)>);

// The pitch belongs to the derived axis, not to the axes that it places, and is not negative.
template <long long Pitch>
concept has_pitch = requires { typename chars<i, reversed.pitch(Pitch)>; };
template <auto Placed>
concept is_placed = requires { typename chars<derived(total, Placed)>; };
template <auto Read>
concept is_read = requires { typename chars<i, reversed.reading(Read)>; };
static_assert(has_pitch<3> && has_pitch<0> && !has_pitch<-1> && !has_pitch<-5>);
static_assert(is_placed<j> && !is_placed<j.pitch(1)> && !is_read<i.pitch(64)>);

// A function of two dimensions, with folds: it takes each digit as a value of its dimension.
struct diagonal {
    template <class Row, class Cell> constexpr int operator()(Row row, Cell cell) const {
        static_assert(same<Row, I> && same<Cell, K8>);
        return row.get() * 4 + (cell.get() + row.get()) % 4;
    }
};
using Diagonal = chars<i / 4, derived(diagonal(), i % 4, k / 8), k % 8>;
constexpr bool is_diagonal() {
    Diagonal const t(middle);
    for (int a = -4; a < 20; ++a) {
        for (int b = 0; b < 32; b += 3) {
            int const tile = (a + 4) / 4 - 1;
            int const row = (a + 4) % 4;
            int const expected = tile * 128 + (row * 4 + (b / 8 + row) % 4) * 8 + b % 8;
            if (offset_of(t[I(a)][K(b)]) != expected || offset_of(t[K(b) + I(a)]) != expected)
                return false;
            // The function takes the digits of the sum of all subscripts.
            if (offset_of(t[I(a - 3)][K8(b / 8)][I(3)][K(b % 8)]) != expected) return false;
        }
    }
    return true;
}
static_assert(is_diagonal());

// A derived axis whose function also reads a digit of I, which another axis places.
struct rotated {
    constexpr int operator()(J x, I row) const { return (x.get() + row.get()) % 8; }
};
using Rotated = chars<i, derived(rotated(), j).reading(i % 8)>;
constexpr bool is_rotated() {
    Rotated const t(middle);
    for (int a = 0; a < 16; ++a) {
        for (int b = 0; b < 8; ++b) {
            int const expected = a * 8 + (b + a) % 8;
            if (offset_of(t[I(a)][J(b)]) != expected || offset_of(t[J(b)][I(a)]) != expected)
                return false;
            auto stepped = t[J(b)];
            stepped.step(I(a));
            if (offset_of(stepped) != expected) return false;
        }
    }
    return true;
}
static_assert(is_rotated() && Rotated::size() == 128);

// An axis that is only read gives the dimension no size.
static_assert(chars<derived(rotated(), j).reading(i % 8), i>::size<I>() == I(16));

// The function of a derived axis may read digits of several other axes, here of i and k. The pitch
// that was set before reading() stays.
struct twice_rotated {
    constexpr int operator()(J x, I row, K8 times) const {
        return (x.get() + row.get() * (times.get() + 1)) % 8;
    }
};
using TwiceRotated = chars<i, k / 8, derived(twice_rotated(), j).pitch(3).reading(i % 4, k / 8)>;
constexpr bool is_twice_rotated() {
    TwiceRotated const t(middle);
    for (int a = 0; a < 16; ++a) {
        for (int b = 0; b < 8; ++b) {
            for (int c = 0; c < 4; ++c) {
                int const expected = a * 96 + c * 24 + (b + a % 4 * (c + 1)) % 8 * 3;
                if (offset_of(t[J(b)][I(a)][K8(c)]) != expected) return false;
            }
        }
    }
    return true;
}
static_assert(is_twice_rotated());

// A dimension that a derived axis only reads must be placed by another axis of the layout.
static_assert(lays_out<i, derived(rotated(), j).reading(i % 8)>);
static_assert(!lays_out<derived(rotated(), j).reading(i % 8)>);

// A derived axis with a pitch: the pitch is multiplied with the function's result, and the axis to
// its left gets a stride of its size times the pitch.
using Pitched = chars<i, reversed.pitch(3), axis<K>(3)>;
static_assert(offset_of(Pitched(middle)[I(1)][J(7)][K(2)]) == 24 + 2 &&
              offset_of(Pitched(middle)[J(0)]) == 21);

// Subscripts of any form give the same offset (law 1 of docs/algebra.md): coordinates, sums, folds,
// one after another.
constexpr Diagonal t(middle);
static_assert(offset_of(t[I(1)][K8(2)]) == offset_of(t[make_coordinates(I(1), K8(2))]));
static_assert(offset_of(t[make_coordinates(I(1), fold<I, 2>(1), K8(1))]) ==
              offset_of(t[I(3)][K(8)]));
static_assert(offset_of(t[I(2) + K8(0)][I(2) + K8(1)]) == offset_of(t[I(4) + K8(1)]));

// A compound index made from an OFFSET has the coordinates of the element of that number, and
// subscripts a tensor by them. (CompoundIndexDerivedDims.input_output_dims,
// tensor_subscript_with_offset)
using Index = spio::compound_index<i, j>;
static_assert(spio::located<Index> && Index::num_dims() == 2 && Index::size() == 128);
constexpr bool subscripts_by_offset() {
    for (int offset = 0; offset < 128; ++offset) {
        Index const index{spio::OFFSET(offset)};
        if (offset_of(Rotated(middle)[index]) !=
            offset_of(Rotated(middle)[I(offset / 8)][J(offset % 8)]))
            return false;
        if (offset_of(Rotated(middle)[index]) != offset_of(Rotated(middle)[index.coordinates()]))
            return false;
    }
    return true;
}
static_assert(subscripts_by_offset());

// The lanes of ldmatrix as compound indices: i or j and k / 8 are digits of the lane, and REPEAT
// counts the lanes that load the same rows as others.
// MMA_A_M16_K8_F16_LoadIndex.indices, MMA_A_M16_K16_F16_LoadIndex.indices,
// MMA_B_N8_K8_F16_LoadIndex.indices, MMA_B_N8_K16_F16_LoadIndex.indices,
// MMA_B_N16_K16_F16_LoadIndex.indices
struct REPEAT : spio::dim {
    using dim::dim;
};
constexpr auto cells = axis<K>(16) / 8;
constexpr auto cell = axis<K>(8) / 8;
constexpr auto columns = axis<J>(16);
using A_M16_K8 = spio::compound_index<cell, axis<REPEAT>(2), i>;
using A_M16_K16 = spio::compound_index<cells, i>;
using B_N8_K8 = spio::compound_index<cell, axis<REPEAT>(4), j>;
using B_N8_K16 = spio::compound_index<axis<REPEAT>(2), cells, j>;
using B_N16_K16 = spio::compound_index<columns / 8, cells, columns % 8>;
constexpr bool lanes_are_digits() {
    for (int l = 0; l < 32; ++l) {
        if (A_M16_K8(l) != make_coordinates(I(l % 16), K8(0))) return false;
        if (A_M16_K16(l) != make_coordinates(I(l % 16), K8(l / 16))) return false;
        if (B_N8_K8(l) != make_coordinates(J(l % 8), K8(0))) return false;
        if (B_N8_K16(l) != make_coordinates(J(l % 8), K8(l / 8 % 2))) return false;
        if (B_N16_K16(l) != make_coordinates(J(l % 8 + 8 * (l / 16)), K8(l / 8 % 2))) return false;
        if (A_M16_K8::size() != 32 || B_N8_K16::size() != 32 || B_N16_K16::size() != 32)
            return false;
    }
    return true;
}
static_assert(lanes_are_digits());

// A derived axis stands where it is written. (TestTensorDerivedMethods.test_with_dim,
// TestDerivedDimensionInDims.test_derived_dim_preserves_order)
using Inside = chars<i, reversed, axis<K>(3)>;
using Outside = chars<reversed, i, axis<K>(3)>;
static_assert(offset_of(Inside(middle)[I(2)][J(3)][K(1)]) == (2 * 8 + 4) * 3 + 1);
static_assert(offset_of(Outside(middle)[I(2)][J(3)][K(1)]) == (4 * 16 + 2) * 3 + 1);
