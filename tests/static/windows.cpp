// Windows of filters, against the inputs that stride, dilation and padding name.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. What is late is known
// only at run time.
// Names in parentheses are rows of the conformance list in tests/house: what the algebra must do.
import spio.dims;

struct C : spio::dim {
    using dim::dim;
};
struct H : spio::dim {
    using dim::dim;
};
struct P : spio::dim {
    using dim::dim;
};
struct Q : spio::dim {
    using dim::dim;
};
struct R : spio::dim {
    using dim::dim;
};
struct S : spio::dim {
    using dim::dim;
};
struct W : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::tensor;
using spio::window;
using spio::windows;

// What tensors point to; only addresses in it matter.
inline constexpr char memory[256] = {};

// Every tap of every output is the input that the law names, and in bounds if that one is.
template <window Window, class T> constexpr bool has_its_inputs(T const& x) {
    auto const v = windows<H, P, R, Window>(x);
    int const inputs = x.template extent<H>().get();
    // The last window ends in the padding, and the next one does not.
    auto const end = [](int output) {
        return Window.stride * output + Window.dilation * (Window.taps - 1) - Window.pad;
    };
    int outputs = 0;
    while (end(outputs) < inputs + Window.pad) ++outputs;
    if (v.template extent<P>() != P(outputs) || v.template extent<R>() != R(Window.taps))
        return false;
    for (P p(-1); p <= P(outputs); ++p) {
        for (R r(-1); r <= R(Window.taps); ++r) {
            H const h(Window.stride * p.get() + Window.dilation * r.get() - Window.pad);
            bool const is_inside = P(0) <= p && p < P(outputs) && R(0) <= r && r < R(Window.taps);
            auto const cursor = v[r][C(1)][p];
            if (cursor.inbounds() != (is_inside && x[h][C(1)].inbounds())) return false;
            if (cursor.inbounds() && cursor.get() != x[h][C(1)].get()) return false;
            if (v[p + r + C(1) + W(7)].offset() != cursor.offset()) return false;
        }
    }
    return true;
}
template <int Inputs> constexpr bool have_their_inputs() {
    tensor<char const, axis<H>(Inputs), axis<C>(2)> const x(memory);
    tensor<char const, axis<C>(2), axis<H>(spio::dynamic)> const late(memory, H(Inputs));
    return has_its_inputs<window{}>(x) && has_its_inputs<window{.taps = 3, .pad = 1}>(late) &&
           has_its_inputs<window{.taps = 3, .stride = 2, .pad = 2}>(x) &&
           has_its_inputs<window{.taps = 2, .stride = 3, .dilation = 2}>(late);
}
static_assert(have_their_inputs<1>() && have_their_inputs<5>());
// On folded and swizzled inputs too.
constexpr auto h = axis<H>(8);
static_assert(has_its_inputs<window{.taps = 3, .stride = 2, .pad = 1}>(
    tensor<char const, h / 4, axis<C>(2), h % 4>(memory)));
static_assert(has_its_inputs<window{.taps = 3, .pad = 1}>(
    tensor<char const, axis<C>(8), spio::swizzle(h, axis<C>(8))>(memory)));

// Two dimensions: a convolution of an image, all of whose sums are those over its neighbours.
constexpr bool is_convolution() {
    int data[4 * 5] = {};
    for (int n = 0; n < 20; ++n) data[n] = n * n;
    tensor<int const, axis<H>(4), axis<W>(5)> const x(data);
    constexpr window three{.taps = 3, .pad = 1};
    auto const v = windows<W, Q, S, three>(windows<H, P, R, three>(x));
    int count = 0;
    for (auto const p : spio::range(P(4) + Q(5))) {
        int sum = 0;
        for (auto const r : spio::range(R(3) + S(3))) {
            if (v[p][r].inbounds()) sum += *v[p][r];
        }
        int expected = 0;
        for (auto const n : range(x)) {
            H const row = n.get<H>();
            W const column = n.get<W>();
            int const rows = row.get() - p.get<P>().get();
            int const columns = column.get() - p.get<Q>().get();
            if (-1 <= rows && rows <= 1 && -1 <= columns && columns <= 1) expected += *x[n];
        }
        if (sum != expected) return false;
        ++count;
    }
    return count == 20 && v.extents() == P(4) + R(3) + Q(5) + S(3);
}
static_assert(is_convolution());

// A part of a view has the view's elements from its start on, and its own extent along D.
template <class D, class V, class Part>
constexpr bool is_part(V const& v, Part const& part, int start, int length) {
    if (part.template extent<D>() != D(length)) return false;
    auto const end = part.extents() + P(1) + R(1) + C(1);
    for (auto const p : spio::range(P(-1) + R(-1) + C(0), end)) {
        bool const is_inside = 0 <= p.template get<D>().get() && p.template get<D>().get() < length;
        auto const cursor = v[p][D(start)];
        if (part[p].inbounds() != (is_inside && cursor.inbounds())) return false;
        if (part[p].inbounds() && part[p].get() != cursor.get()) return false;
    }
    return true;
}
// Whether slices of the windows, and slices of slices, have the elements that all windows have
// there.
template <window Window, class T> constexpr bool has_parts(T const& x) {
    auto const v = windows<H, P, R, Window>(x);
    int const outputs = v.template extent<P>().get();
    for (int n = 0; n + 2 <= outputs; ++n) {
        if (!is_part<P>(v, slice<2>(v, P(n)), n, 2)) return false;
        if (!is_part<P>(v, slice<1>(slice<2>(v, P(n)), P(1)), n + 1, 1)) return false;
        auto const rest = outputs - n < 3 ? outputs - n : 3;
        if (!is_part<P>(v, tile<3>(v, P(n)), n, rest)) return false;
    }
    return true;
}
// The same of the windows' positions, of a dimension that windows leave alone, and of no window.
template <window Window, class T> constexpr bool has_other_parts(T const& x) {
    auto const v = windows<H, P, R, Window>(x);
    int const outputs = v.template extent<P>().get();
    return is_part<R>(v, slice<2>(v, R(1)), 1, 2) && is_part<C>(v, slice<1>(v, C(1)), 1, 1) &&
           is_part<P>(v, tile<2>(v, spio::fold<P, 2>(outputs)), 2 * outputs, 0);
}
using Row = tensor<char const, axis<H>(9), axis<C>(2)>;
using LateRow = tensor<char const, axis<C>(2), axis<H>(spio::dynamic)>;
constexpr window strided{.taps = 3, .stride = 2, .pad = 1};
constexpr window dilated{.taps = 3, .dilation = 2, .pad = 2};
static_assert(has_parts<strided>(Row(memory)) && has_other_parts<strided>(Row(memory)));
static_assert(has_parts<dilated>(LateRow(memory, H(5))));
static_assert(has_other_parts<dilated>(LateRow(memory, H(5))));

using Image = tensor<char const, h, axis<C>(2)>;
template <class T, class Base, class Output, class Tap, window Window = window{}>
concept has_windows = requires(T t) { windows<Base, Output, Tap, Window>(t); };
static_assert(has_windows<Image, H, P, R> && !has_windows<Image, W, P, R> &&
              !has_windows<Image, H, C, R> && !has_windows<Image, H, P, P> &&
              !has_windows<Image, H, H, R>);
static_assert(!has_windows<Image, H, P, R, window{.stride = 0}> &&
              !has_windows<Image, H, P, R, window{.pad = -1}>);
template <class T, class D>
concept subscripts = requires(T t, D d) { t[d]; };
using View = decltype(windows<H, P, R, window{}>(Image()));
static_assert(subscripts<View, P> && subscripts<View, C> && !subscripts<View, H> &&
              !subscripts<View, int> && !subscripts<decltype(View(Image())[P()]), H>);
template <int Size, class T, class D>
concept slices = requires(T t, D d) { slice<Size>(t, d); };
template <int Size, class T, class D>
concept tiles = requires(T t, D d) { tile<Size>(t, d); };
static_assert(slices<3, View, P> && slices<1, View, R> && slices<2, View, C>);
static_assert(!slices<0, View, P> && !slices<2, View, R> && !slices<3, View, C> &&
              !slices<1, View, H> && !slices<1, View, W>);
static_assert(tiles<3, View, P> && !tiles<0, View, P> && !tiles<1, View, R> && !tiles<1, View, C>);
// A slice that leaves its view is no constant.
template <long long> struct constant;
template <int Start>
concept is_slice =
    requires { typename constant<slice<2>(View(Image(memory)), P(Start))[P(0)].offset()>; };
static_assert(is_slice<0> && is_slice<6> && !is_slice<7> && !is_slice<-1>);

// A band of a matrix: row n and tap r meet in column n + r - 1. The band times a vector, whose
// windows have the same taps, is the matrix times the vector if all else is 0.
constexpr int band[] = {7, 2, 0, 0, 0, 3, 1, 8, 0, 0, 0, 4, 5, 9, 0, 0, 0, 6, 2, 1, 0, 0, 0, 3, 7};
constexpr int factors[] = {1, 20, 300, 4000, 50000};
constexpr bool is_product_of_band() {
    auto const rows = windows<H, P, R, window{.taps = 3, .pad = 1}>(
        tensor<int const, axis<Q>(5), axis<H>(5)>(band));
    auto const column =
        windows<H, P, R, window{.taps = 3, .pad = 1}>(tensor<int const, axis<H>(5)>(factors));
    for (int n = 0; n < 5; ++n) {
        int sum = 0;
        for (int r = 0; r < 3; ++r) {
            auto const cell = rows[Q(n)][P(n)][R(r)];
            bool const is_inside = 0 <= n + r - 1 && n + r - 1 < 5;
            if (cell.inbounds() != is_inside || column[P(n)][R(r)].inbounds() != is_inside)
                return false;
            if (is_inside && *cell != band[5 * n + n + r - 1]) return false;
            if (is_inside) sum += *cell * *column[P(n)][R(r)];
        }
        int expected = 0;
        for (int m = 0; m < 5; ++m) expected += band[5 * n + m] * factors[m];
        if (sum != expected) return false;
    }
    return true;
}
static_assert(is_product_of_band());

// An element needs subscripts in all dimensions of several positions, those of windows among them.
template <class T>
concept has_element = requires(T t) { *t; };
constexpr auto narrow = windows<H, P, R, window{.taps = 3}>(tensor<int const, axis<H>(5)>(factors));
static_assert(has_element<decltype(narrow[P(1)][R(1)])> &&
              has_element<decltype(narrow[R(1) + P(1)])>);
static_assert(!has_element<decltype(narrow[P(1)])> && !has_element<decltype(narrow[R(1)])> &&
              !has_element<decltype(narrow.origin())>);
static_assert(has_element<decltype(slice<1>(narrow, R(1))[P(1)])>);
