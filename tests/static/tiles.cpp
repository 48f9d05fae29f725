// Tiles of tensors whose sizes and pitches only the run knows, against the tensors themselves.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A ring is an axis
// around which positions wrap. A late size is known only at run time.
import spio.dims;

using I = spio::dimension<"I">;
using J = spio::dimension<"J">;
using K = spio::dimension<"K">;
using spio::axis;
using spio::dynamic;
using spio::fold;
using spio::pitch;
using spio::tensor;
using spio::tile;

inline char memory[1 << 12] = {};

// A pitch that the tensor brings, with sizes that it brings and without.
constexpr auto i = axis<I>(5);
constexpr auto k = axis<K>(8);
using Fixed = tensor<char, i.pitch(dynamic), k>;
using Late = tensor<char, axis<I>(dynamic).pitch(dynamic), axis<K>(dynamic)>;
using Strided = tensor<char, axis<J>(3), axis<I>(dynamic).pitch(dynamic), k.pitch(dynamic)>;
constexpr bool has_pitches() {
    for (int lda = 8; lda < 20; ++lda) {
        Fixed const a(memory, pitch<I>(lda));
        Late const b(memory, pitch<I>(lda), K(8), I(5));
        Strided const c(memory, I(5), pitch<K>(2), pitch<I>(lda * 2ll));
        for (auto const p : range(a)) {
            int const row = p.get<I>().get();
            int const column = p.get<K>().get();
            if (a[p].offset() != row * lda + column || b[p].offset() != a[p].offset()) return false;
            if (c[p][J(1)].offset() != 5 * 2 * lda + 2 * a[p].offset()) return false;
            if (a[p].get() - memory != a[p].offset()) return false;
        }
        if (a.storage_size() != 4 * lda + 8 || b.storage_size() != a.storage_size()) return false;
        if (b.extents() != I(5) + K(8) || a.extent<I>() != I(5) || a.size() != 40) return false;
    }
    return sizeof(Fixed::offset_type) == 8; // a pitch may make offsets exceed an int
}
static_assert(has_pitches());

// Exactly the sizes and pitches that are missing make a tensor.
template <class T, class... Sizes>
concept is_made_of = requires(char* p, Sizes... sizes) { T(p, sizes...); };
using pitch_of_I = decltype(pitch<I>(1));
using pitch_of_K = decltype(pitch<K>(1));
static_assert(is_made_of<Fixed, pitch_of_I> && !is_made_of<Fixed> && !is_made_of<Fixed, I> &&
              !is_made_of<Fixed, pitch_of_K> && !is_made_of<Fixed, pitch_of_I, pitch_of_I> &&
              !is_made_of<Fixed, int> && !is_made_of<Fixed, pitch_of_I, I>);
static_assert(is_made_of<Late, I, K, pitch_of_I> && is_made_of<Late, pitch_of_I, K, I> &&
              !is_made_of<Late, I, K> && !is_made_of<Late, I, K, pitch_of_K> &&
              !is_made_of<Late, I, I, pitch_of_I> && !is_made_of<Late, pitch_of_I, pitch_of_I, I>);
static_assert(!is_made_of<tensor<char, i, k>, pitch_of_I>);

// Every element of a tile is the element of the tensor at the sum of both positions, and it is in
// bounds exactly if that position is. (The property test does the same for many sizes.)
template <int Size, class Start, class T> constexpr bool is_tiled(T const& t, int tiles) {
    using base = spio::base_of<Start>;
    for (int n = 0; n < tiles; ++n) {
        auto const part = tile<Size>(t, Start(n));
        auto const origin = spio::unfold(Start(n));
        int inside = 0;
        for (auto const local : spio::range(base(Size))) {
            auto const world = t[origin + local][K(5)];
            if (part[local].inbounds() != world.inbounds()) return false;
            if (part[local][K(5)].get() != world.get()) return false;
            inside += world.inbounds();
        }
        if (part.template extent<base>() != base(inside)) return false;
    }
    return true;
}
using I4 = fold<I, 4>;
using I8 = fold<I, 8>;
using Columns = tensor<char, k, axis<I>(dynamic)>;
using Blocks = tensor<char, axis<I>(dynamic) / 4, k, axis<I>(dynamic) % 4>;
template <int N> constexpr bool tiles_agree() {
    Late const late(memory, I(N), K(8), pitch<I>(11));
    return is_tiled<4, I4>(late, 5) && is_tiled<3, I>(late, 8) &&
           is_tiled<4, I4>(Columns(memory, I(N)), 5) && is_tiled<8, I8>(Blocks(memory, I(N)), 3) &&
           is_tiled<4, I4>(Blocks(memory, I(N)), 5);
}
static_assert(tiles_agree<1>() && tiles_agree<7>() && tiles_agree<8>() && tiles_agree<13>());
constexpr auto i8 = axis<I>(8);
static_assert(is_tiled<4, I4>(tensor<char, axis<I>(13), k>(memory), 5) &&
              is_tiled<5, I>(tensor<char, axis<I>(13), k>(memory), 14) &&
              is_tiled<8, I8>(tensor<char, axis<I>(16), spio::swizzle(k, i8)>(memory), 3));

// A tile of a tile is a tile.
static_assert([] {
    Late const late(memory, I(30), K(8), pitch<I>(11));
    auto const part = tile<4>(tile<16>(late, fold<I, 16>(1)), I4(3));
    return part.extent<I>() == I(2) && part[I(1)][K(2)].offset() == 11 + 2 &&
           part.get() - memory == 28 * 11;
}());

// What is no whole number of blocks of the coarsest axis is refused.
template <int Size, class T, class Start>
concept is_tile = requires(T t, Start s) { tile<Size>(t, s); };
static_assert(is_tile<4, Blocks, I4> && is_tile<12, Blocks, I8> && !is_tile<4, Blocks, I> &&
              !is_tile<6, Blocks, I4> && !is_tile<0, Blocks, I4> && !is_tile<-4, Blocks, I4>);
static_assert(!is_tile<4, Blocks, J> && !is_tile<4, Blocks, int> && is_tile<4, Blocks, K> &&
              !is_tile<16, Blocks, K>);
static_assert(!is_tile<2, tensor<char, axis<I>(4).ring()>, I> &&
              !is_tile<2, tensor<char, axis<I>(8), spio::swizzle(k, i8)>, K>);
