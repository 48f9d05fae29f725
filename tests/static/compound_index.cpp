// Compound indices: one number that stands for a value of each of several dimensions.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A compound index is one number for several indices, the last of
// which varies fastest.
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
using spio::bounded;
using spio::compound_index;
using spio::fold;
using spio::make_coordinates;
using spio::OFFSET;
constexpr auto i32 = axis<I>(32);
constexpr auto j8 = axis<J>(8);
using Index1D = compound_index<axis<I>(16)>;
using Index2D = compound_index<i32, j8>;
using Index3D = compound_index<axis<I>(16), j8, axis<K>(4)>;
using Folded = compound_index<i32 / 8, i32 % 8, j8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// Whether x has exactly this type, and the value n.
template <class Expected, class T> constexpr bool equals(T x, int n) {
    return same<T, Expected> && x.get() == n;
}
// Whether law(index, offset) holds for each offset of the index.
template <class Index, class Law> constexpr bool at_each_offset(Law law) {
    for (int offset = 0; offset < Index::size(); ++offset) {
        if (Index(offset).offset() != OFFSET(offset) || !law(Index(offset), offset)) return false;
    }
    return true;
}

// With one axis the offset is the value. (Index1D.get)
static_assert(at_each_offset<Index1D>([](Index1D x, int o) {
    return equals<bounded<I, 16>>(x.get<I>(), o);
}));

// With two axes the last one varies fastest. (Index2D.get)
static_assert(at_each_offset<Index2D>([](Index2D x, int o) {
    return equals<bounded<I, 32>>(x.get<I>(), o / 8) && equals<bounded<J, 8>>(x.get<J>(), o % 8);
}));

// With three axes the last one varies fastest. (Index3D.get)
static_assert(at_each_offset<Index3D>([](Index3D x, int o) {
    return x.get<I>() == I(o / 32) && x.get<J>() == J(o / 4 % 8) && x.get<K>() == K(o % 4);
}));

// The type that compound_index stands for: linear_index, with a digit for each axis. All digits are
// bounded, but the first need not be.
static_assert(same<Index2D, spio::linear_index<bounded<I, 32>, bounded<J, 8>>>);
static_assert(spio::linear_index<K, bounded<J, 8>>(805) == make_coordinates(K(100), J(5)));

// The size of an index is the product of its axes' sizes. (IndexSize.total_size)
static_assert(Index1D::size() == 16 && Index2D::size() == 256 && Index3D::size() == 512);
static_assert(compound_index<axis<I>(64) / 8, axis<I>(64) % 8>::size() == 64);

// An index of images: the value and the size of each dimension. (MyIndex.index_from_offset,
// MyIndex.size, MyIndex.dim_sizes)
struct N : spio::dim {
    using dim::dim;
};
struct H : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
struct C : spio::dim {
    using dim::dim;
};
using MyIndex = compound_index<axis<N>(4), axis<H>(32), axis<W>(64), axis<C>(128)>;
static_assert(MyIndex(532523) == make_coordinates(N(2), H(1), W(0), C(43)));
static_assert(MyIndex::size() == 4 * 32 * 64 * 128 && MyIndex::num_dims() == 4);
static_assert(MyIndex::size<N>() == 4 && MyIndex::size<H>() == 32);
static_assert(MyIndex::size<W>() == 64 && MyIndex::size<C>() == 128);

// Thread 17 of a block of 4 x 8; an index begins at offset 0. (IndexInit.default_constructor,
// IndexInit.size)
using Threads = compound_index<axis<I>(4), j8>;
static_assert(Threads(17u).get<I>() == I(2) && Threads(17u).get<J>() == J(1));
static_assert(Threads::size() == 32 && Threads().offset() == OFFSET(0));

// cast() replaces a dimension by another. (IndexCast.simple_dimension_replacement)
using CastIndex = decltype(Index1D().cast<I, J>());
static_assert(same<CastIndex, compound_index<axis<J>(16)>> &&
              Index1D(5).cast<I, J>().get<J>() == J(5));

// cast() keeps the offset. (IndexCast.preserves_offset)
static_assert(at_each_offset<Index2D>([](Index2D x, int o) {
    auto const y = x.cast<I, K>();
    return y.offset() == OFFSET(o) && y.get<K>().get() == x.get<I>().get() &&
           y.get<J>() == x.get<J>();
}));

// cast() keeps the stride of a fold. (IndexCast.folded_dimension_preserves_fold)
static_assert(
    same<decltype(compound_index<i32 / 8>().cast<I, J>()), compound_index<axis<J>(32) / 8>>);

// cast() replaces a dimension in all of its axes. (IndexCast.multiple_folds_same_base,
// mixed_folded_and_unfolded)
static_assert(
    same<decltype(Folded().cast<I, K>()), compound_index<axis<K>(32) / 8, axis<K>(32) % 8, j8>>);
static_assert(same<decltype(compound_index<i32 / 16, i32 / 8 % 2>().cast<I, K>()),
                   compound_index<axis<K>(32) / 16, axis<K>(32) / 8 % 2>>);

// cast() leaves the other dimensions as they are. (IndexCast.unrelated_dimensions_unchanged)
static_assert(at_each_offset<Index2D>([](Index2D x, int o) {
    return equals<bounded<J, 8>>(x.cast<I, K>().get<J>(), o % 8);
}));

// cast() of a dimension that the index lacks changes nothing. (IndexCast.no_matching_dimension)
static_assert(same<decltype(Index2D().cast<K, N>()), Index2D>);

// cast() of a fold of a fold. (IndexCast.nested_fold)
static_assert(
    same<decltype(compound_index<i32 / 4 / 2>().cast<I, J>()), compound_index<axis<J>(32) / 8>>);

// A cast may follow a cast. (IndexCast.chained_casts)
static_assert(same<decltype(Index1D().cast<I, J>().cast<J, K>()), compound_index<axis<K>(16)>>);

// An index is made of a value of OFFSET. (IndexFromDim.plain_offset)
static_assert(Index1D(OFFSET(5)).get<I>() == I(5));

// A fold of OFFSET counts blocks of offsets. (IndexFromDim.fold_of_offset)
static_assert(Index1D(fold<OFFSET, 8>(1)).get<I>() == I(8));
static_assert(Index1D(fold<OFFSET, 8>(3)).offset() == OFFSET(24));

// An index is made of a bounded value of OFFSET. (IndexFromDim.module_of_offset)
static_assert(Index1D(bounded<OFFSET, 16>(7)).get<I>() == I(7));

// An index is made of coordinates that have an OFFSET. (IndexFromCoords.single_offset_in_coords)
static_assert(Index1D(make_coordinates(OFFSET(7))).get<I>() == I(7));

// The coordinates may have a fold of OFFSET. (IndexFromCoords.fold_of_offset_in_coords)
static_assert(Index2D(make_coordinates(fold<OFFSET, 8>(2))).offset() == OFFSET(16));

// Several entries of OFFSET add up. (IndexFromCoords.multiple_offset_folds_summed)
static_assert(Index2D(make_coordinates(OFFSET(5), fold<OFFSET, 8>(2))).offset() == OFFSET(21));

// Entries of other dimensions do not count. (IndexFromCoords.offset_with_unrelated_dims_ignored)
static_assert(Index2D(make_coordinates(OFFSET(9), I(100), J(200))).offset() == OFFSET(9));

// Folds of OFFSET with different strides add up.
// (IndexFromCoords.different_fold_strides_normalized)
static_assert(Index2D(make_coordinates(fold<OFFSET, 4>(3), fold<OFFSET, 16>(1))).offset() ==
              OFFSET(28));

// An index of another type is taken if it has an OFFSET.
// (IndexFromHasCoords.from_another_compound_index_with_offset)
using OffsetIndex = compound_index<axis<OFFSET>(32)>;
using Small = compound_index<axis<I>(16), axis<J>(2)>;
static_assert(Small(OffsetIndex(25)) == make_coordinates(I(12), J(1)));

// The least and the greatest offset give the first and the last coordinates.
// (IndexFromCoords.zero_offset, max_offset_for_index)
using Last = compound_index<axis<I>(8), axis<J>(4)>;
static_assert(Last(make_coordinates(OFFSET(0))) == make_coordinates(I(0), J(0)));
static_assert(Last(make_coordinates(OFFSET(31))) == make_coordinates(I(7), J(3)));

// The digits of an index make up its offset, and the offset gives the index again.
// (IndexFromDim.roundtrip_offset_to_coords_to_offset)
static_assert(at_each_offset<Folded>([](Folded x, int o) {
    auto const c = x.coordinates();
    using I8 = fold<I, 8>;
    return (c.digit<I8>().get() * 8 + c.digit<I>().get()) * 8 + c.get<J>().get() == o &&
           c.normalize().get<I>().get() == o / 8 && Folded(OFFSET(o)) == c;
}));

// A compound index has coordinates, which add, compare and unfold; the sum of two keeps the carry.
static_assert(Index2D(9) + Index2D(10) == make_coordinates(I(2), J(3)));
static_assert(compound_index<axis<K>(32) / 8, axis<K>(32) % 8>(29) +
                  compound_index<axis<K>(32) / 8, axis<K>(32) % 8>(3) ==
              K(32));
static_assert(Index2D(9) - W(3) == make_coordinates(W(-3), I(1)) &&
              Index2D(9) > make_coordinates(I(0), J(0)));
static_assert(spio::located<Index2D> && spio::place<Index2D> && !spio::index<Index2D>);

// Values of a dimension that the tensor lacks repeat the positions of the others.
struct REPEAT : spio::dim {
    using dim::dim;
};
using Repeating = compound_index<axis<REPEAT>(2), axis<I>(16)>;
static_assert(at_each_offset<Repeating>([](Repeating x, int o) {
    return x.get<I>() == I(o % 16);
}));

// coordinates() has the value of each dimension. (CompoundIndexDerivedDims.compute_coordinates)
static_assert(at_each_offset<Index3D>([](Index3D x, int o) {
    return x.coordinates() == make_coordinates(I(o / 32), J(o / 4 % 8), K(o % 4));
}));

// Waves of 4 blocks of rows, and all columns, in a matrix of 8192 x 1024 in blocks of 256 x 128.
// (WaveBlockIdx.decomposition_and_unfold)
constexpr auto rows = axis<I>(8192);
constexpr auto columns = axis<J>(1024);
using WaveBlock = compound_index<rows / 1024, columns / 128, rows / 256 % 4>;
static_assert(WaveBlock::size() == 256);
static_assert(at_each_offset<WaveBlock>([](WaveBlock block, int o) {
    int const wave = o / 32;
    int const j = o / 4 % 8;
    int const local = o % 4;
    return block.get<fold<I, 1024>>().get() == wave && block.get<fold<J, 128>>().get() == j &&
           block.get<fold<I, 256>>().get() == local &&
           block == make_coordinates(I((wave * 4 + local) * 256), J(j * 128));
}));
