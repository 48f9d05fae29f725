// Properties of layouts: shared addresses, bank conflicts and vector widths.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A tensor is a pointer with axes, outermost first; a subscript is a
// position, and makes a cursor, which a further one moves. A derived axis computes its place from
// several digits of a position: swizzle() and checkerboard() make such axes, which spread a tile
// over the banks of shared memory, and derived() makes one of any function. A compound index is one
// number for several indices, the last of which varies fastest.
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
struct N : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::bank_conflicts;
using spio::checkerboard;
using spio::compound_index;
using spio::derived;
using spio::fold;
using spio::is_injective;
using spio::swizzle;
using spio::tensor;
using spio::vector_width;
using K8 = fold<K, 8>;

struct cell {
    unsigned words[4];
};
constexpr auto i = axis<I>(16);
constexpr auto j = axis<J>(8);
constexpr auto k = axis<K>(64);
// A tensor of floats with these axes.
template <auto... Axes> using floats = tensor<float, Axes...>;
template <auto... Axes> using cells = tensor<cell, Axes...>;

// is_injective against its definition: no two positions have the same offset.
template <class T> constexpr bool shares_no_address() {
    bool is_visited[T::storage_size()] = {};
    for (auto x : range(T())) {
        auto const offset = T()[x].offset();
        if (offset < 0 || offset >= T::storage_size() || is_visited[offset]) return false;
        is_visited[offset] = true;
    }
    return true;
}
template <class T>
concept injective = is_injective<T> && shares_no_address<T>();
template <class T>
concept overlapping = !is_injective<T> && !shares_no_address<T>();

static_assert(injective<floats<i, j>> && injective<floats<axis<K>(32) / 8, i, axis<K>(32) % 8>>);
static_assert(injective<floats<i.pitch(9), j>> && injective<floats<i.pitch(1), j.pitch(16)>>);
static_assert(injective<floats<axis<I>(64) / 16, checkerboard(axis<I>(64) % 16, axis<K>(16) / 8)>>);
static_assert(injective<floats<i, swizzle(j, i % 8)>>);
static_assert(injective<floats<i, derived([](J x) { return 7 - x.get(); }, j)>>);
static_assert(injective<floats<axis<I>(1).pitch(0), j>>);
static_assert(injective<floats<axis<K>(2).pitch(38), axis<I>(4).pitch(10), j>> &&
              overlapping<floats<axis<K>(2).pitch(37), axis<I>(4).pitch(10), j>>);
static_assert(overlapping<floats<i.pitch(7), j>> && overlapping<floats<i.pitch(0), j>>);
static_assert(overlapping<floats<i, derived([](J x) { return x.get() / 2; }, j)>>);
static_assert(overlapping<floats<i.pitch(8), j.pitch(8)>>);
// A function must be a permutation for every combination of what it reads, and none may read what
// depends on it.
constexpr auto folds_late = [](J x, I row) { return x.get() / (row.get() / 7 + 1); };
constexpr auto folds_last = [](J x, I, K block) { return x.get() / (block.get() / 3 + 1); };
constexpr auto rotates = [](J x, I row, K block) {
    return (x.get() + row.get() * block.get()) % 8;
};
static_assert(overlapping<floats<i, derived(folds_late, j).reading(i % 8)>>);
static_assert(
    overlapping<floats<i, axis<K>(4), derived(folds_last, j).reading(i % 2, axis<K>(4))>>);
static_assert(injective<floats<i, axis<K>(4), derived(rotates, j).reading(i % 8, axis<K>(4))>>);
static_assert(overlapping<floats<swizzle(j, axis<I>(8)), swizzle(axis<I>(8), j)>>);
static_assert(!is_injective<int>);

// bank_conflicts() counts how often a warp's access is repeated because lanes access different
// words of one bank; 8 lanes of 16 bytes are one access. The swizzles of the reference and of TMA
// are free of conflicts, where plain rows are not.
using Load = compound_index<axis<K>(16) / 8, i>;
using Checkered = cells<checkerboard(i, axis<K>(16) / 8)>;
using Rows = cells<i, axis<K>(16) / 8>;
static_assert(bank_conflicts<Checkered, Load>() == 0 && bank_conflicts<Rows, Load>() == 4);
using Stores = compound_index<i, axis<K>(16) / 8>;
static_assert(bank_conflicts<Checkered, Stores>() == 0);
using Column = compound_index<axis<K>(32) / 8, axis<I>(8)>;
static_assert(bank_conflicts<cells<axis<I>(8), swizzle(k / 8, axis<I>(8))>, Column>() == 0);
static_assert(bank_conflicts<cells<axis<I>(8), k / 8>, Column>() == 4 * 7);

// Elements of one word each: a warp that reads a row of 32 has no conflict, a column of rows that
// are 32 words apart has 31, and one of rows that are 33 words apart has none.
constexpr auto lanes = axis<I>(32);
using InRow = compound_index<axis<J>(32)>;
using InColumn = compound_index<lanes>;
static_assert(bank_conflicts<floats<lanes, axis<J>(32)>, InRow>() == 0);
static_assert(bank_conflicts<floats<lanes, axis<J>(32)>, InColumn>() == 31);
static_assert(bank_conflicts<floats<lanes.pitch(33), axis<J>(32)>, InColumn>() == 0);
static_assert(bank_conflicts<floats<lanes, axis<J>(32)>>([](int) { return J(3); }) == 0);
static_assert(bank_conflicts<floats<lanes, axis<J>(32)>>([](int lane) { return I(lane % 2); }) ==
              1);
// Lanes that read different halves of one word do not conflict.
static_assert(bank_conflicts<tensor<short, axis<J>(64)>>([](int lane) { return J(lane); }) == 0);
static_assert(bank_conflicts<tensor<short, axis<J>(64)>>([](int lane) { return J(2 * lane); }) ==
              0);
static_assert(bank_conflicts<tensor<double, axis<J>(32)>, InRow>() == 0);

// vector_width() is the greatest width by which the innermost size and all other strides are
// divisible.
static_assert(vector_width(floats<i, j>()) == 8 && vector_width(floats<i, axis<J>(6)>()) == 2);
static_assert(vector_width(floats<i.pitch(12), j>()) == 4 &&
              vector_width(floats<i.pitch(9), j>()) == 1);
static_assert(vector_width(floats<i, axis<J>(7)>()) == 1 &&
              vector_width(floats<i, j.pitch(2)>()) == 1);
static_assert(vector_width(floats<axis<N>(spio::dynamic), axis<K>(64) / 8, i, axis<K>(64) % 8>()) ==
              8);
static_assert(vector_width(floats<i, axis<N>(spio::dynamic)>()) == 1);
static_assert(vector_width(floats<i.pitch(64), axis<N>(spio::dynamic.up_to(64))>()) == 1);
static_assert(vector_width(floats<i, swizzle(k / 8, i % 8), k % 8>()) == 8);
static_assert(vector_width(floats<i, swizzle(j, i % 8)>()) == 1);
static_assert(vector_width(floats<swizzle(axis<J>(4), k / 16 % 4), k / 8>()) == 2);
// Adjacent elements are successive positions of one dimension.
static_assert(vector_width(floats<k % 4, i, k / 4>()) == 1);
static_assert(vector_width(floats<j, axis<N>(spio::dynamic), i % 4>()) == 4);
// An axis of one step does not limit the width, wherever it stands.
static_assert(vector_width(floats<i, j, axis<K>(1)>()) == vector_width(floats<i, j>()));
// The tensor can be read as vectors of this width, and not as wider ones.
template <class T>
concept as_two = requires { typename spio::vectors_of<double, T>; };
static_assert(as_two<floats<i, j>> && as_two<floats<i.pitch(12), j>> &&
              !as_two<floats<i.pitch(9), j>>);
static_assert(as_two<floats<i, j, axis<K>(1)>>);
static_assert(!as_two<floats<i, axis<J>(7)>> && !as_two<floats<i, swizzle(j, i % 8)>>);

// Bank conflicts are defined only for elements that a lane accesses with one instruction.
struct twelve_bytes {
    float words[3];
};
struct many_bytes {
    double words[32];
};
template <class T>
concept has_conflicts = requires { bank_conflicts<tensor<T, axis<J>(32)>, InRow>(); };
static_assert(has_conflicts<double> && !has_conflicts<twelve_bytes> && !has_conflicts<many_bytes>);

// If an index has fewer than 32 values, only so many lanes access: of 16 lanes that read every
// fourth word, two share a bank, of 32 lanes four.
using Half = compound_index<axis<J>(16)>;
static_assert(bank_conflicts<floats<axis<J>(16).pitch(4)>, Half>() == 1);
static_assert(bank_conflicts<floats<axis<J>(32).pitch(4)>, InRow>() == 3);
