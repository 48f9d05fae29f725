// Orders of positions: boxes between corners, curves, and the axes of another layout.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A late size is known only at run time.
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
using spio::coords;
using spio::dynamic;
using spio::fold;
using spio::range;
using spio::reverse_range;
using spio::tensor;
using K8 = fold<K, 8>;

// Whether two types are the same.
template <class A, class B> inline constexpr bool same = false;
template <class A> inline constexpr bool same<A, A> = true;

// Whether the positions of a range are those that the loops around `next` name, in their order.
struct visitor {
    int positions[512][2] = {};
    int count = 0;

    constexpr void add(int a, int b) {
        positions[count][0] = a;
        positions[count++][1] = b;
    }
    constexpr bool operator==(visitor const& other) const {
        for (int n = 0; n < count && n < 512; ++n) {
            if (positions[n][0] != other.positions[n][0] ||
                positions[n][1] != other.positions[n][1])
                return false;
        }
        return count == other.count;
    }
};
// Visits positions by a loop and by for_each(); a count of -1 says that the two differ.
template <class A, class B, class Range> constexpr visitor visit(Range const& positions) {
    visitor visited;
    visitor nested;
    for (auto const p : positions)
        visited.add(p.template get<A>().get(), p.template get<B>().get());
    for_each(positions,
             [&](auto p) { nested.add(p.template get<A>().get(), p.template get<B>().get()); });
    if (visited != nested) visited.count = -1;
    return visited;
}

// Whether the n-th position of a box is the n-th that a loop has, and has this number.
template <class Range> constexpr bool is_numbered(Range const& positions) {
    int n = 0;
    for (auto const p : positions) {
        if (positions[n] != p || positions.number(p + J(3)) != n) return false;
        ++n;
    }
    return n == positions.size();
}

// Boxes of all corners near zero, forward and in reverse.
constexpr bool are_boxes() {
    for (int corner = 0; corner < 3 * 3 * 4 * 4; ++corner) {
        int const i0 = corner % 3 - 1;
        int const i1 = corner / 3 % 4 - 1;
        int const k0 = corner / 12 % 3 - 1;
        int const k1 = corner / 36 - 1;
        visitor forward;
        visitor backward;
        for (int i = i0; i < i1; ++i)
            for (int k = k0; k < k1; ++k) forward.add(i, k);
        for (int i = i1; i-- > i0;)
            for (int k = k1; k-- > k0;) backward.add(i, k);
        auto const start = I(i0) + K(k0);
        auto const end = I(i1) + K(k1);
        if (visit<I, K>(range(start, end)) != forward) return false;
        if (visit<I, K>(reverse_range(start, end)) != backward) return false;
        if (corner % 7 == 0 && !is_numbered(range(start, end))) return false;
        if (corner % 7 == 0 && !is_numbered(reverse_range(start, end))) return false;
    }
    return true;
}
static_assert(are_boxes());
// Without a start, or with one that lacks a dimension, the box starts at zero.
static_assert(visit<I, K>(range(I(4) + K(8))).count == 32);
static_assert(visit<I, K>(range(I(1), I(4) + K(8))) ==
              visit<I, K>(range(I(1) + K(0), I(4) + K(8))));
static_assert(visit<I, K>(reverse_range(I(4) + K(8))).positions[0][1] == 7);
// Folds step by blocks. Where start and end are counted in different steps, they meet.
static_assert(same<decltype(*range(K8(2) + I(3)).begin()), coords<K8, I>>);
static_assert(same<decltype(*range(K(4), K8(2) + I(3)).begin()), coords<K, I>>);
static_assert(visit<K8, I>(range(K8(2) + I(3))).count == 6 &&
              visit<K, I>(range(K(4), K8(2) + I(3))).count == 36);
static_assert(is_numbered(range(K(4), K8(2) + I(3))) && range(I(2) + K(5))[13u] == I(2) + K(3));
// range(end) has the positions that are nowhere negative and below the end everywhere.
template <class... Ts>
concept has_range = requires(Ts... xs) { range(xs...); };
static_assert(has_range<coords<I, K>> && has_range<I, coords<I, K>> &&
              has_range<coords<I, K>, coords<K, I>> && has_range<bounded<I, 4>, coords<I>>);
static_assert(!has_range<coords<>> && !has_range<J, coords<I, K>> && !has_range<coords<K8, K>> &&
              !has_range<coords<I, K>, I> && !has_range<coords<I, K>, int>);

// Orders of tiles.
template <class Order> constexpr bool is_ordered(Order order) {
    for (int rows = 0; rows <= 5; ++rows) {
        for (int columns = 0; columns <= 6; ++columns) {
            visitor expected;
            for (int n = 0; rows * columns > 0 && n < order.count(rows, columns); ++n) {
                auto const tile = order(n, rows, columns);
                if (tile.row < rows && tile.column < columns) expected.add(tile.row, tile.column);
            }
            if (visit<I, K8>(range(I(rows) + K8(columns), order)) != expected) return false;
            for (int n = 0; n < expected.count; ++n) expected.positions[n][0] -= 2;
            auto const start = I(-2) + K8(0);
            if (visit<I, K8>(range(start, I(rows - 2) + K8(columns), order)) != expected)
                return false;
        }
    }
    return true;
}
static_assert(is_ordered(spio::super_rows{2}) && is_ordered(spio::z_order()) &&
              is_ordered(spio::hilbert_order()));

// A tensor in the order of other axes than its own: the positions of a tensor that has them.
constexpr auto i = axis<I>(6);
constexpr auto k = axis<K>(16);
// An axis whose size is known only at run time.
constexpr auto late = axis<I>(dynamic);
// What tensors point to; only addresses in it matter.
inline constexpr char memory[512] = {};
// Whether range<Axes...>(t) and for_each<Axes...>(t) visit positions in the order of a tensor with
// these axes.
template <auto... Axes, class Tensor> constexpr bool has_order_of(Tensor const& t) {
    visitor expected;
    visitor nested;
    for (auto const p : range(tensor<char const, Axes...>(memory)))
        expected.add(p.template total<I>().get(), spio::unfold(p.template total<K>()).get());
    spio::for_each<Axes...>(t, [&](auto p) {
        nested.add(p.template total<I>().get(), spio::unfold(p.template total<K>()).get());
    });
    visitor visited;
    for (auto const p : range<Axes...>(t))
        visited.add(p.template total<I>().get(), spio::unfold(p.template total<K>()).get());
    return visited == expected && nested == expected;
}
using rows = tensor<char const, i, k>;
static_assert(has_order_of<k, i>(rows(memory)) && has_order_of<k / 8, i, k % 8>(rows(memory)));
static_assert(
    has_order_of<k / 4 % 2, i, k / 8, k % 4>(tensor<char const, k / 8, i.pitch(9), k % 8>(memory)));
// The same of n rows, which are known only at run time.
constexpr bool has_late_order(int n) {
    tensor<char const, late, k> const t(memory, I(n));
    int count = 0;
    bool is_right = true;
    for (auto const p : range<k / 8, late / 4, k % 8, late % 4>(t)) {
        is_right &= t[p].inbounds();
        ++count;
    }
    return is_right && count == 16 * n;
}
static_assert(has_late_order(0) && has_late_order(1) && has_late_order(6) && has_late_order(8));

// A function of positions that does nothing.
struct nothing {
    template <class P> constexpr void operator()(P) const {}
};
template <class T, auto... Axes>
concept is_ordered_by = requires(T t, nothing f) {
    range<Axes...>(t);
    spio::for_each<Axes...>(t, f);
};
static_assert(is_ordered_by<rows, k, i> && !is_ordered_by<rows, k> &&
              !is_ordered_by<rows, k, axis<I>(5)> && !is_ordered_by<rows, k, i, axis<J>(2)> &&
              !is_ordered_by<rows, k, late> && !is_ordered_by<rows, k / 8, i, k % 4>);
static_assert(!is_ordered_by<tensor<char const, axis<K8>(2), i>, k, i>);

// A box may have more positions than an int counts.
static_assert(range(I(65536) + K(65536)).size() == 1LL << 32);
static_assert(range(I(65536) + K(65536))[0x7fffffff] == I(32767) + K(65535));
static_assert(range(I(65536) + K(65536)).number(I(32767) + K(65535)) == 0x7fffffff);
