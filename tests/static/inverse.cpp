// The inverse of a layout: each element's offset leads back to its position.
// SPDX-License-Identifier: Apache-2.0
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
constexpr auto i = axis<I>(12);
constexpr auto j = axis<J>(6);
constexpr auto k = axis<K>(32);
constexpr auto k8 = axis<K>(8);
template <auto... Axes> using of_char = tensor<char const, Axes...>;

static_assert(is_inverted(of_char<i, k>(memory)));
static_assert(is_inverted(of_char<k / 8, i, k % 8>(memory)));
static_assert(is_inverted(of_char<k / 8 % 2, j, k % 8 / 4, k / 16, k % 4>(memory)));
static_assert(is_inverted(of_char<axis<K>(2).ring(), i, j>(memory)));
// Strides in any order, with gaps.
static_assert(is_inverted(of_char<i.pitch(2), j.pitch(40)>(memory)));
static_assert(is_inverted(of_char<axis<I>(1).pitch(0), j.pitch(3), axis<K>(2).pitch(1)>(memory)));
// Derived axes: those that know their cells, and one that is searched.
static_assert(is_inverted(of_char<i, spio::swizzle(k8, i / 2 % 2)>(memory)));
static_assert(is_inverted(of_char<k / 16, spio::checkerboard(i, k % 16 / 8), k % 8>(memory)));
static_assert(
    is_inverted(of_char<axis<I>(16) / 2, axis<I>(16) % 2,
                        spio::swizzle(k8 / 2, axis<I>(16) / 2, axis<I>(16) % 2), k8 % 2>(memory)));
constexpr auto turned =
    spio::derived([](J n, I row) { return (5 * n.get() + 2 * row.get()) % 6; }, j).reading(i % 4);
static_assert(is_inverted(of_char<i / 4, turned, i % 4>(memory)));

// Sizes and pitches that only the run knows.
constexpr auto late = axis<I>(dynamic);
template <int N> constexpr bool is_inverted_late() {
    return is_inverted(of_char<late, k8>(memory, I(N))) &&
           is_inverted(of_char<k8 / 2, late, k8 % 2>(memory, I(N))) &&
           is_inverted(of_char<j, late / 4, k8, late % 4>(memory, I(N))) &&
           is_inverted(of_char<late.pitch(dynamic), j>(memory, I(N), pitch<I>(6 + N)));
}
static_assert(is_inverted_late<0>() && is_inverted_late<1>() && is_inverted_late<6>());

// Elements that share an offset have no inverse.
template <class T>
concept has_position = requires(T t) { position(t, 0); };
static_assert(has_position<of_char<i, k>> && !has_position<of_char<i.pitch(0), k>> &&
              !has_position<of_char<i.pitch(3), j.pitch(2)>>);
static_assert(!has_position<of_char<late, j.pitch(1)>>);
