// Functions of 2^16 cells, the most that are checked: nightly only, since compilers take long.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis is a function of several positions, such as a
// swizzle. is_injective says whether different positions have different offsets.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::tensor;

// Whether axes form a layout; axes of different sizes for one dimension, for example, do not.
template <auto... Axes>
concept lays_out = requires { typename tensor<float, Axes...>; };

constexpr auto many = axis<J>(256);
constexpr auto rows = axis<I>(256);
constexpr auto turned = [](J column, I row) { return (column.get() + row.get()) % 256; };
constexpr auto halved = [](J column, I row) { return column.get() / (row.get() / 255 + 1); };
static_assert(spio::is_injective<tensor<char, rows, derived(turned, many).reading(rows)>>);
static_assert(!spio::is_injective<tensor<char, rows, derived(halved, many).reading(rows)>>);

// A function that leaves its axis is no layout, wherever it does.
constexpr auto at_last = [](J x, I row) { return x.get() + row.get() / 255 * 256; };
static_assert(!lays_out<rows, derived(at_last, many).reading(rows)> &&
              lays_out<axis<I>(128), derived(at_last, many).reading(axis<I>(128))>);
