// Views: parts of a tensor, its elements taken as vectors, and its elements made read-only.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A ring is an axis
// around which positions wrap.
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
struct N : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::fold;
using spio::slice;
using spio::tensor;
using spio::vectors_of;
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;
// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = tensor<char const, Axes...>;
// How far the element lies from the first, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - memory; }
template <int Size, class T, class D>
concept slices = requires(T t, D d) { slice<Size>(t, d); };
template <class Vector, class T>
concept vectorizes = requires(T t) { spio::as_vectors<Vector>(t); };
template <class Vector, class T>
concept has_vectors = requires { typename vectors_of<Vector, T>; };

// Slices of H and of W. (Tensor.tensor_2d, Tensor.tensor_2d_custom_stride)
constexpr chars<axis<H>(24).pitch(64), axis<W>(30)> hw(memory);
constexpr bool cuts_a_part() {
    for (int start = 0; start <= 20; start += 20) {
        auto const rows = slice<4>(hw, H(start));
        auto const cells = slice<10>(hw, W(start));
        if (rows.size() != 4 * 30 || rows.size<H>() != H(4) || rows.size<W>() != W(30))
            return false;
        if (cells.size() != 24 * 10 || cells.extents() != spio::make_coordinates(H(24), W(10)))
            return false;
        for (auto x : range(rows)) {
            if (offset_of(rows[x]) != offset_of(hw[x][H(start)]) || !rows[x].inbounds())
                return false;
        }
        for (auto x : range(cells)) {
            if (offset_of(cells[x]) != offset_of(hw[x][W(start)])) return false;
        }
    }
    return !slice<4>(hw, H(8))[H(4)].inbounds();
}
static_assert(cuts_a_part());

// A slice along a folded dimension takes whole blocks. A slice of a swizzled tensor is swizzled.
constexpr auto k = axis<K>(32);
constexpr auto i = axis<I>(16);
using Folded = chars<k / 8, i, k % 8>;
using Swizzled = chars<k / 16, i / 8, spio::checkerboard(i % 8, k / 8 % 2), k % 8>;
// Whether a slice of Size positions from `start` has the elements that the whole has there.
template <class T, int Size, class Start> constexpr bool is_a_part(Start start) {
    T const t(memory);
    auto const part = slice<Size>(t, start);
    int count = 0;
    for (auto x : range(part)) {
        if (offset_of(part[x]) != offset_of(t[x][start]) || !part[x].inbounds()) return false;
        ++count;
    }
    return count == part.size() && part.template extent<Start>() == Start(Size);
}
static_assert(is_a_part<Folded, 1>(K8(3)));
static_assert(is_a_part<Folded, 1>(fold<K, 16>(1)));
static_assert(is_a_part<Folded, 3>(I(5)));
using SmallSwizzled = chars<k / 16, i / 8, spio::checkerboard(i % 8, k / 8 % 2)>;
static_assert(is_a_part<SmallSwizzled, 1>(fold<K, 16>(1)));
static_assert(is_a_part<SmallSwizzled, 1>(fold<I, 8>(1)));
static_assert(slices<2, Folded, K8> && !slices<2, Folded, K> && !slices<5, Folded, K8>);
static_assert(!slices<2, Swizzled, K8> && !slices<2, Swizzled, I> && !slices<2, Folded, J>);
static_assert(!slices<0, Folded, K8> && !slices<2, Folded, int> && !slices<-1, Folded, I>);
static_assert(!slices<2, chars<axis<K>(4).ring(), i>, K> &&
              slices<2, chars<axis<K>(4).ring(), i>, I>);

// A tensor with a dynamic size can be sliced along its static dimensions.
using Dynamic = chars<axis<N>(spio::dynamic), i, k>;
static_assert(offset_of(slice<4>(Dynamic(memory, N(3)), I(8))[N(2)][I(3)][K(1)]) ==
              2 * 512 + 11 * 32 + 1);
static_assert(slice<4>(Dynamic(memory, N(3)), I(8)).extents() ==
              spio::make_coordinates(N(3), I(4), K(32)));
static_assert(slices<2, Dynamic, N> && !slices<0, Dynamic, N>);
static_assert(slices<2, chars<i, axis<K>(32), axis<N>(spio::dynamic)>, K>);

// A tensor with axes J / 4 (pitch 132 floats), I and J % 4, as vectors of four floats: the pitch
// becomes 33, the last axis goes. (WithVectorWidth.dimensions_and_strides,
// WithVectorWidth.storage_layout)
struct WARP : spio::dim {
    using dim::dim;
};
struct float4_like {
    float x, y, z, w;
};
struct float2_like {
    float x, y;
};
constexpr auto j = axis<J>(64);
using Narrow = tensor<float, axis<WARP>(4), (j / 4).pitch(132), axis<I>(32), j % 4>;
using Wide = vectors_of<float4_like, Narrow>;
static_assert(same<Wide::data_type, float4_like> && Wide::size() == Narrow::size() / 4);
static_assert(Wide::num_bytes() == 4 * 16 * 33 * 16 - 16 &&
              Wide::storage_size() == 4 * 16 * 33 - 1);
static_assert(Wide()[fold<J, 4>(1)].offset() == 33 && Wide()[WARP(1)].offset() == 16 * 33);

// A vector has the address of its first element. (WithVectorWidth.memory_access)
constexpr bool reads_the_same_addresses() {
    for (int warp = 0; warp < 4; warp += 3) {
        for (int block = 0; block < 16; ++block) {
            for (int lane = 0; lane < 32; lane += 5) {
                auto const place = spio::make_coordinates(WARP(warp), fold<J, 4>(block), I(lane));
                if (4 * Wide()[place].offset() != Narrow()[place].offset()) return false;
            }
        }
    }
    return true;
}
static_assert(reads_the_same_addresses());

// The innermost axis counts vectors; which vectors are refused.
// (TestTensorDerivedMethods.test_vector_length)
using Plain = tensor<float, i, j>;
static_assert(vectors_of<float4_like, Plain>::size<fold<J, 4>>() == fold<J, 4>(16));
static_assert(vectors_of<float2_like, Plain>()[I(1)][J(3)].offset() == 33);
static_assert(vectorizes<float4_like, Plain> && has_vectors<float4_like, Plain>);
static_assert(!vectorizes<float, Plain> && !vectorizes<char, Plain> && !has_vectors<float, Plain>);
static_assert(!vectorizes<float4_like, tensor<float, i, axis<J>(6)>>);
static_assert(!vectorizes<float4_like, tensor<float, i.pitch(66), j>>);
static_assert(vectorizes<float2_like, tensor<float, i.pitch(66), j>>);
static_assert(!vectorizes<float4_like, tensor<float, i, j.pitch(2)>>);
static_assert(vectorizes<float4_like const, tensor<float const, i, j>>);
static_assert(vectorizes<float4_like, tensor<float, axis<N>(spio::dynamic), j>>);
static_assert(!vectorizes<float4_like, tensor<float const, i, j>>);

// Vectors, if the compiler knows that strides and size are multiples of the width, and that no
// function of a derived axis separates the elements of a vector.
static_assert(vectorizes<float4_like, tensor<float, i, axis<N>(spio::dynamic), j>>);
static_assert(!vectorizes<float4_like, tensor<float, i.pitch(8), axis<J>(6)>>);
using UpTo64 = tensor<float, i.pitch(64), axis<N>(spio::dynamic.up_to(64))>;
static_assert(!vectorizes<float4_like, UpTo64>);
using Read = tensor<float, spio::swizzle(axis<I>(4), j / 16), j / 8>;
static_assert(vectorizes<float2_like, Read> && !vectorizes<float4_like, Read>);

// What may be written may be read, and not the other way round.
// (TestTensorBasicConstruction.test_constant_tensor)
template <class From, class To>
concept becomes = requires(From x, void (*f)(To)) { f(x); };
static_assert(becomes<tensor<float, i, j>, tensor<float const, i, j>>);
static_assert(!becomes<tensor<float const, i, j>, tensor<float, i, j>>);
static_assert(!becomes<tensor<float, i, j>, tensor<float const, j, i>>);
static_assert(!becomes<tensor<float, i, j>, tensor<int const, i, j>>);
