// Tensors: sizes, extents and storage of a layout, and subscripts that find the same element.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A compound index is one number for
// several indices, the last of which varies fastest.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
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
struct M : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::coords;
using spio::fold;
using spio::make_coordinates;
using spio::tensor;
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}
// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = tensor<char const, Axes...>;
// How far the element lies from the first, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - memory; }

constexpr auto k = axis<K>(64);
constexpr auto m = axis<M>(16);

// Without folds the size of a dimension is its extent. (Tensor.tensor_extent_simple)
using Plain = chars<axis<H>(48), axis<W>(64)>;
static_assert(equals<H>(Plain::extent<H>(), 48) && equals<W>(Plain::extent<W>(), 64));
static_assert(equals<H>(Plain::size<H>(), 48) && equals<W>(Plain::size<W>(), 64));
static_assert(same<decltype(Plain::extents()), coords<H, W>> && Plain::extents() == H(48) + W(64));

// The size of a fold counts blocks, the extent of its base ones. (Tensor.tensor_extent_folded)
using Folded = chars<axis<H>(48) / 4, axis<W>(64) / 4>;
static_assert(equals<fold<H, 4>>(Folded::size<fold<H, 4>>(), 12) &&
              equals<H>(Folded::extent<H>(), 48));
static_assert(equals<fold<W, 4>>(Folded::extent<fold<W, 4>>(), 16) &&
              equals<W>(Folded::extent<W>(), 64));

// With two folds of K each has its size; the extent covers both.
// (Tensor.tensor_extent_multiple_folds)
using TwoFolds = chars<k / 8, m, k % 8>;
static_assert(equals<K8>(TwoFolds::size<K8>(), 8) && equals<K>(TwoFolds::size<K>(), 8));
static_assert(equals<K>(TwoFolds::extent<K>(), 64) && equals<K8>(TwoFolds::extent<K8>(), 8));
static_assert(equals<fold<K, 16>>(TwoFolds::extent<fold<K, 16>>(), 4));
static_assert(equals<fold<K, 128>>(TwoFolds::extent<fold<K, 128>>(), 0));
static_assert(same<decltype(TwoFolds::extents()), coords<K8, M>> &&
              TwoFolds::extents() == K(64) + M(16));

// An extent can be asked for in any fold. (Tensor.tensor_extent_different_fold_levels)
using Blocks = chars<axis<M>(64) / 16>;
static_assert(equals<M>(Blocks::extent<M>(), 64) &&
              equals<fold<M, 4>>(Blocks::extent<fold<M, 4>>(), 16));
static_assert(equals<fold<M, 16>>(Blocks::extent<fold<M, 16>>(), 4));

// A value of K is split into the digits of K's folds. (Tensor.subscript_projection_onto_folds)
constexpr bool folds_by_itself() {
    chars<axis<K>(32) / 8, axis<M>(4), axis<K>(32) % 8> const small(memory);
    for (int n = 0; n < 32; ++n) {
        for (int j = 0; j < 4; ++j) {
            int const expected = n / 8 * 32 + j * 8 + n % 8;
            if (offset_of(small[K(n)][M(j)]) != expected) return false;
            if (offset_of(small[K8(n / 8)][K(n % 8)][M(j)]) != expected) return false;
        }
    }
    return true;
}
static_assert(folds_by_itself());

// Subscripts add up before they are split, so that they carry.
// (Tensor.subscript_multiple_folds_with_carry)
constexpr TwoFolds t(memory);
static_assert(offset_of(t[K(4)][K(4)]) == offset_of(t[K(8)]) && offset_of(t[K(8)]) == 128);

// The order and the number of subscripts do not matter. (Tensor.deferred_folding_equivalence)
constexpr bool carries() {
    for (int e = 0; e < 8; e += 3) {
        for (int f = 0; f < 8; ++f) {
            if (offset_of(t[K(e)][M(f)]) != offset_of(t[M(f)][K(e)])) return false;
            for (int g = 0; g < 8; ++g) {
                if (offset_of(t[K(e)][K(f)][K(g)]) != offset_of(t[K(e) + K(f) + K(g)]))
                    return false;
            }
        }
    }
    return true;
}
static_assert(carries());

// Coordinates add up like single values. (Tensor.deferred_folding_with_coordinates)
static_assert(offset_of(t[K(5) + M(3)][K(7) + M(2)]) ==
              offset_of(t[make_coordinates(K(12), M(5))]));
static_assert(offset_of(t[make_coordinates(K(12), M(5))]) == 128 + 5 * 8 + 4);

// Dimensions that the tensor lacks are ignored in coordinates.
// (Tensor.dimensional_projection_ignores_extra_dims)
static_assert(offset_of(t[make_coordinates(K(12), M(5), J(100))]) == offset_of(t[K(12)][M(5)]));
static_assert(offset_of(t[make_coordinates(J(100), K(12))][M(5) + H(3)]) ==
              offset_of(t[K(12)][M(5)]));

// A remainder below a block is kept, and counts when another subscript completes the block.
// (Coordinates.apply_to_normalized_coordinates)
using Coarse = chars<axis<J>(8), axis<I>(32) / 8>;
constexpr Coarse coarse(memory);
static_assert(offset_of(coarse[make_coordinates(I(1), fold<I, 8>(1))]) == 1);
static_assert(offset_of(coarse[make_coordinates(I(1), fold<I, 8>(1))][I(7)]) == 2 &&
              offset_of(coarse[I(4)][I(4)]) == 1);

// Coordinates subscript a tensor of three dimensions. (Coordinates.apply_to_three_dimensions)
using Cube = chars<axis<K>(4), axis<J>(4), axis<I>(4)>;
static_assert(offset_of(Cube(memory)[make_coordinates(I(1), J(2), K(3))]) == 57);

// A fold subscripts an axis of its base. (Coordinates.fold_projects_onto_base_dim_in_tensor)
static_assert(
    offset_of(chars<axis<J>(4), axis<I>(32)>(memory)[make_coordinates(fold<I, 8>(2), J(1))]) == 48);

// A block's index and a position within the block subscript one after the other.
// (Tensor.double_subscript_with_wave_block_idx)
constexpr auto i64 = axis<I>(64);
constexpr auto k32 = axis<K>(32);
using Tiled = chars<i64 / 16, k32 / 16, i64 % 16, k32 % 16 / 8>;
using WaveBlock = spio::compound_index<i64 / 32, k32 / 16, i64 / 16 % 2>;
constexpr bool blocks_and_threads_meet() {
    Tiled const tiled(memory);
    for (int block = 0; block < WaveBlock::size(); ++block) {
        for (int n = 0; n < 16; ++n) {
            int const i = block / 4 * 2 + block % 2;
            int const expected = i * 64 + block / 2 % 2 * 32 + n * 2 + 1;
            if (offset_of(tiled[WaveBlock(block)][I(n) + K8(1)]) != expected) return false;
            if (offset_of(tiled[K8(1)][I(n)][WaveBlock(block)]) != expected) return false;
        }
    }
    return true;
}
static_assert(blocks_and_threads_meet());

// The indices of a block and of a thread subscript a tensor in either order.
// (Tensor.double_subscript_order_independence)
using Block = spio::compound_index<axis<I>(64) / 16, axis<J>(32) / 16>;
using Thread = spio::compound_index<axis<I>(64) % 16, axis<J>(32) % 16>;
using Grid = chars<axis<I>(64), axis<J>(32)>;
static_assert(offset_of(Grid(memory)[Block(1)][Thread(70)]) == 150);
static_assert(offset_of(Grid(memory)[Thread(70)][Block(1)]) == 150);

// Sizes and storage of tensors with and without pitches. (ContiguousTensor.offset_from_tensor,
// StrideTensor.offset_from_tensor)
using Padded =
    tensor<float, axis<I>(7), axis<J>(16).pitch(34 * 44), axis<H>(33).pitch(44), axis<W>(42)>;
static_assert(Padded::size() == 7 * 16 * 33 * 42);
static_assert(Padded::storage_size() == 1 + 6 * 16 * 34 * 44 + 15 * 34 * 44 + 32 * 44 + 41);
static_assert(Padded::num_bytes() == 4 * Padded::storage_size());
using Dense = tensor<float, axis<I>(7), axis<J>(16), axis<H>(33), axis<W>(42)>;
static_assert(Dense::size() == 7 * 16 * 33 * 42 && Dense::storage_size() == Dense::size());
static_assert(Dense::num_bytes() == 4 * Dense::size());

// size() counts elements, num_bytes() their bytes, of vectors too. (TestTensorProperties.test_size,
// test_num_bytes, test_num_bytes_vector_type, TestTensorBasicConstruction.test_vector_dtype,
// TestTensorPositionalDimArgs.test_positional_with_vector_dtype)
struct half8 {
    unsigned words[4];
};
static_assert(tensor<float, axis<I>(16), axis<J>(32), axis<K>(8)>::size() == 16 * 32 * 8);
static_assert(tensor<float, axis<I>(16), axis<J>(32), axis<K>(8)>::num_bytes() == 16 * 32 * 8 * 4);
static_assert(tensor<half8, axis<I>(16), axis<J>(32)>::num_bytes() == 16 * 32 * 16);

// The axis that is written first need not be the outermost in memory.
using Transposed = chars<axis<I>(4).pitch(1), axis<J>(8).pitch(4)>;
static_assert(Transposed::storage_size() == 32 && offset_of(Transposed(memory)[I(3)][J(7)]) == 31);

// Tensors of one and of four dimensions find their elements. (TestTensorEdgeCases.test_1d_tensor,
// test_many_dimensions, TestTensorPositionalDimArgs.test_single_dim_positional,
// test_three_dims_positional, test_many_dimensions_positional)
static_assert(offset_of(chars<axis<I>(5)>(memory)[I(4)]) == 4);
static_assert(offset_of(chars<axis<I>(3), axis<J>(4), axis<K>(5), axis<H>(6)>(
                  memory)[I(2) + J(3)][K(4) + H(5)]) == 359);

// The pointer of a tensor can be set anew, and its elements can be written.
constexpr bool points_where_it_is_set() {
    int data[4] = {1, 2, 3, 4};
    tensor<int, axis<I>(2)> a(data);
    if (a.get() != data || *a.first() != 1 || *a[I(1)] != 2) return false;
    a.reset(data + 2);
    *a[I(0)] = 7;
    return *a[I(1)] == 4 && data[2] == 7 && tensor<int, axis<I>(2)>().get() == nullptr;
}
static_assert(points_where_it_is_set());

// Functions can be overloaded for tensors that are only read, by their elements and by their axes.
template <class Data> using by_rows = tensor<Data, axis<I>(4), axis<J>(8)>;
template <class Data> using by_columns = tensor<Data, axis<J>(8), axis<I>(4)>;
constexpr int overload(by_rows<float const>) { return 1; }
constexpr int overload(by_rows<int const>) { return 2; }
constexpr int overload(by_columns<float const>) { return 3; }
static_assert(overload(by_rows<float>()) == 1 && overload(by_rows<int>()) == 2);
static_assert(overload(by_columns<float>()) == 3);
