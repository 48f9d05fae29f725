// The inverse of a layout: each element's offset leads back to its position.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. What is late is known
// only at run time.
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
using spio::dynamic;
using spio::fold;
using spio::pitch;
using spio::position;
using spio::tensor;

// What tensors point to; only addresses in it matter.
inline constexpr char memory[1 << 12] = {};

// Whether every offset leads back, and offsets of no element are none of them.
template <class T> constexpr bool is_inverted(T const& t) {
    for (auto const p : range(t)) {
        auto const found = position(t, t[p].offset());
        static_assert(requires(void (*take)(decltype(p)), decltype(found) f) { take(f); });
        if (found != p || t[found].offset() != t[p].offset()) return false;
    }
    return true;
}
constexpr auto i = axis<I>(4);
constexpr auto j = axis<J>(3);
constexpr auto k = axis<K>(8);
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using of_char = tensor<char const, Axes...>;

static_assert(is_inverted(of_char<k / 4, i, k % 4>(memory)));
static_assert(is_inverted(of_char<k / 4, j, k % 4 / 2, k % 2>(memory)));
// Strides in any order, with gaps.
static_assert(is_inverted(of_char<i.pitch(2), j.pitch(20)>(memory)));
static_assert(is_inverted(of_char<axis<I>(1).pitch(0), j.pitch(3), axis<K>(2).pitch(1)>(memory)));
// Derived axes: those that know their cells, and one that is searched.
static_assert(is_inverted(of_char<i, spio::swizzle(k / 2, i), k % 2>(memory)));
static_assert(is_inverted(of_char<spio::checkerboard(axis<I>(8), axis<J>(2))>(memory)));
static_assert(is_inverted(of_char<i / 2, i % 2, spio::swizzle(k / 4, i / 2, i % 2)>(memory)));
constexpr auto turned =
    spio::derived([](J n, I row) { return (2 * n.get() + row.get()) % 3; }, j).reading(i % 2);
static_assert(is_inverted(of_char<i / 2, turned, i % 2>(memory)));

// Sizes and pitches that only the run knows.
constexpr auto late = axis<I>(dynamic);
template <int N> constexpr bool is_inverted_late() {
    return is_inverted(of_char<late, k>(memory, I(N))) &&
           is_inverted(of_char<k / 2, late, k % 2>(memory, I(N))) &&
           is_inverted(of_char<j, late / 4, late % 4>(memory, I(N))) &&
           is_inverted(of_char<late.pitch(dynamic), j>(memory, I(N), pitch<I>(6 + N)));
}
static_assert(is_inverted_late<0>());
static_assert(is_inverted_late<5>());

// Pitches that only the run knows nest the axes in any order: rows, columns, tiles of a matrix, one
// row whose pitch is any; and sizes beside a pitch that is known.
static_assert(is_inverted(of_char<late.pitch(dynamic), k>(memory, I(5), pitch<I>(11))));
template <auto... Axes>
constexpr bool is_inverted_pitched(int rows, int row_pitch, int pitch_of_k) {
    return is_inverted(
        of_char<Axes...>(memory, I(rows), pitch<I>(row_pitch), pitch<K>(pitch_of_k)));
}
static_assert(is_inverted_pitched<late.pitch(dynamic), k.pitch(dynamic)>(5, 9, 1));
static_assert(is_inverted_pitched<late.pitch(dynamic), k.pitch(dynamic)>(5, 1, 5));
static_assert(is_inverted_pitched<k.pitch(dynamic), late.pitch(dynamic), j>(5, 3, 16));
static_assert(is_inverted_pitched<k.pitch(dynamic), late.pitch(dynamic), j>(5, 25, 3));
static_assert(is_inverted_pitched<late.pitch(dynamic), k.pitch(dynamic), j>(1, 0, 3));
static_assert(is_inverted_pitched<late.pitch(dynamic), k.pitch(dynamic), j>(0, 0, 0));
static_assert(is_inverted(of_char<late.pitch(1), k.pitch(64)>(memory, I(64))));
static_assert(is_inverted(of_char<late, j.pitch(1)>(memory, I(5))));
static_assert(is_inverted(of_char<(late / 4).pitch(dynamic), k, late % 4>(memory, I(18),
                                                                          pitch<fold<I, 4>>(40))));
static_assert(is_inverted(of_char<late.pitch(dynamic), spio::swizzle(k / 2, j % 1), k % 2, j>(
    memory, I(3), pitch<I>(30))));

// Elements that share an offset have no inverse.
template <class T>
concept has_position = requires(T t) { position(t, 0); };
static_assert(has_position<of_char<i, k>> && !has_position<of_char<i.pitch(0), k>> &&
              !has_position<of_char<i.pitch(3), j.pitch(2)>>);
static_assert(!has_position<of_char<late.pitch(0), j>> &&
              !has_position<of_char<late.pitch(2), j>> &&
              !has_position<of_char<k.pitch(4), late.pitch(4)>>);
// The axes to the left follow from the pitch of an axis, even of one with a single step.
static_assert(!has_position<of_char<k, j, (late % 1).pitch(0), late>>);
static_assert(is_inverted(of_char<j, (late % 1).pitch(40), k, late>(memory, I(5))));
