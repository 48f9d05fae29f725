// How fast loops over tensors are: the time of typed loops over that of raw ones, in one run.
// SPDX-License-Identifier: Apache-2.0
//
// A typed loop uses spio::tensor and its dimensions, a raw one pointers and ints; each pair does
// the same work. Their runs alternate, and the least time of each counts. The sizes of `late`
// tensors are known only at run time.
#include "spio/dims.h"
#include "spio/stepped_range.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// The loops are not static: g++ assumes that static functions which only `main` calls rarely run.
namespace loops {

using I = spio::dimension<"I">;
using J = spio::dimension<"J">;
using K = spio::dimension<"K">;

constexpr int height = 128;
constexpr int width = 256;
constexpr auto i = spio::axis<I>(height);
constexpr auto k = spio::axis<K>(width);
constexpr auto rows_axis = spio::axis<I>(spio::dynamic);
constexpr auto columns_axis = spio::axis<K>(spio::dynamic);
using rows = spio::tensor<float, i, k>;
using blocks = spio::tensor<float, k / 8, i, k % 8>;
using columns = spio::tensor<float, k, i>;
using late_rows = spio::tensor<float, rows_axis, columns_axis>;
using late_columns = spio::tensor<float, columns_axis, rows_axis>;

// Volatile, so that the compiler cannot know the sizes.
int volatile known_late_height = height;
int volatile known_late_width = width;
int volatile known_late_edge = 256;
// Pairs of functions that do the same, with tensors and with pointers; `late` ones know no size.
[[gnu::noinline]] void typed_fill(rows target, float x) { target.fill(x); }
[[gnu::noinline]] void raw_fill(float* target, float x) {
    for (int row = 0; row < height; ++row) {
        for (int column = 0; column < width; ++column) target[row * width + column] = x;
    }
}
[[gnu::noinline]] void typed_late_fill(late_rows target, float x) { target.fill(x); }
[[gnu::noinline]] void raw_late_fill(float* target, int rows, int columns, float x) {
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            target[static_cast<long long>(row) * columns + column] = x;
        }
    }
}

[[gnu::noinline]] void typed_range(rows target, float x) {
    for (auto const position : range(target)) *target[position] = *target[position] * 0.5f + x;
}
[[gnu::noinline]] void raw_range(float* target, float x) {
    for (int row = 0; row < height; ++row) {
        for (int column = 0; column < width; ++column) {
            target[row * width + column] = target[row * width + column] * 0.5f + x;
        }
    }
}
[[gnu::noinline]] void typed_for_each(rows target, float x) {
    for_each(target, [&](auto position) { *target[position] = *target[position] * 0.5f + x; });
}
[[gnu::noinline]] void typed_late_for_each(late_rows target, float x) {
    for_each(target, [&](auto position) { *target[position] = *target[position] * 0.5f + x; });
}
[[gnu::noinline]] void typed_late_range(late_rows target, float x) {
    for (auto const position : range(target)) *target[position] = *target[position] * 0.5f + x;
}
[[gnu::noinline]] void raw_late_range(float* target, int rows, int columns, float x) {
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            long long const n = static_cast<long long>(row) * columns + column;
            target[n] = target[n] * 0.5f + x;
        }
    }
}

[[gnu::noinline]] void typed_copy(blocks target, rows source) {
    for (auto const position : range(target)) *target[position] = *source[position];
}
[[gnu::noinline]] void typed_copy_call(blocks target, rows source) { copy(source, target); }
[[gnu::noinline]] void raw_copy(float* target, float const* source) {
    for (int block = 0; block < width / 8; ++block) {
        for (int row = 0; row < height; ++row) {
            for (int column = 0; column < 8; ++column) {
                target[(block * height + row) * 8 + column] =
                    source[row * width + block * 8 + column];
            }
        }
    }
}
[[gnu::noinline]] void typed_transpose(columns target, rows source) {
    for (auto const position : range(target)) *target[position] = *source[position];
}
[[gnu::noinline]] void typed_transpose_call(columns target, rows source) { copy(source, target); }
[[gnu::noinline]] void raw_transpose(float* target, float const* source) {
    for (int column = 0; column < width; ++column) {
        for (int row = 0; row < height; ++row) {
            target[column * height + row] = source[row * width + column];
        }
    }
}
[[gnu::noinline]] void typed_late_transpose(late_columns target, late_rows source) {
    for (auto const position : range(target)) *target[position] = *source[position];
}
[[gnu::noinline]] void typed_late_transpose_call(late_columns target, late_rows source) {
    copy(source, target);
}
[[gnu::noinline]] void raw_late_transpose(float* target, float const* source, int rows,
                                          int columns) {
    for (int column = 0; column < columns; ++column) {
        for (int row = 0; row < rows; ++row) {
            target[static_cast<long long>(column) * rows + row] =
                source[static_cast<long long>(row) * columns + column];
        }
    }
}

// A product of blocks of 32 x 32: the sizes of the matrices are static, dynamic or bounded.
constexpr int edge = 256;
constexpr int tile = 32;
template <auto Size> struct matrices {
    using A = spio::tensor<float const, spio::axis<I>(Size), spio::axis<K>(Size)>;
    using B = spio::tensor<float const, spio::axis<K>(Size), spio::axis<J>(Size)>;
    using C = spio::tensor<float, spio::axis<I>(Size), spio::axis<J>(Size)>;
};
using tile_sums = spio::tensor<float, spio::axis<I>(tile), spio::axis<J>(tile)>;
template <class A, class B, class C> [[gnu::noinline]] void typed_product(A a, B b, C c) {
    for (auto const i0 : spio::range_with_step<tile>(c.template extent<I>())) {
        for (auto const j0 : spio::range_with_step<tile>(c.template extent<J>())) {
            float sums[tile_sums::storage_size()] = {};
            tile_sums const sum(sums);
            for (auto const k : spio::range(a.template extent<K>())) {
                auto const a_column = a[i0][k];
                auto const b_row = b[k][j0];
                for (auto const i : spio::range(I(tile))) {
                    for (auto const j : spio::range(J(tile))) {
                        *sum[i][j] += *a_column[i] * *b_row[j];
                    }
                }
            }
            for_each(sum, [&](auto position) { *c[i0 + j0][position] = *sum[position]; });
        }
    }
}
// The same product with pointers and ints.
template <bool AddColumnsFirst>
[[gnu::always_inline]] inline void multiply(float const* a, float const* b, float* c, int height,
                                            int width, int depth) {
    for (int i0 = 0; i0 < height; i0 += tile) {
        for (int j0 = 0; j0 < width; j0 += tile) {
            float sums[tile * tile] = {};
            for (int k = 0; k < depth; ++k) {
                for (int i = 0; i < tile; ++i) {
                    for (int j = 0; j < tile; ++j) {
                        int const n = AddColumnsFirst ? k * width + (j0 + j) : k * width + j0 + j;
                        sums[i * tile + j] += a[(i0 + i) * depth + k] * b[n];
                    }
                }
            }
            for (int i = 0; i < tile; ++i) {
                for (int j = 0; j < tile; ++j) {
                    c[(i0 + i) * width + j0 + j] = sums[i * tile + j];
                }
            }
        }
    }
}
[[gnu::noinline]] void raw_static_product(float const* a, float const* b, float* c) {
    multiply<false>(a, b, c, edge, edge, edge);
}
[[gnu::noinline]] void raw_product(float const* a, float const* b, float* c, int height, int width,
                                   int depth) {
    multiply<false>(a, b, c, height, width, depth);
}
// A cursor adds the columns first. In 32 bits clang takes no such sum out of a loop.
[[gnu::noinline]] void raw_columns_first_product(float const* a, float const* b, float* c,
                                                 int height, int width, int depth) {
    multiply<true>(a, b, c, height, width, depth);
}

template <class Function> double seconds(Function f) {
    auto const start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Times a typed and a raw loop, and prints the ratio of their least times: of 40 rounds, in which
// each is called `repeats` times. Other programs disturb them: while the ratio is above `limit` (0:
// none), up to 9 times as many rounds follow. False if it stays above.
template <class Typed, class Raw>
bool compare(char const* name, double limit, int repeats, Typed typed, Raw raw) {
    double least_typed = 1e9;
    double least_raw = 1e9;
    bool is_above = true;
    for (int round = 0; round < 400 && (round % 40 != 0 || is_above); ++round) {
        least_raw = std::min(least_raw, seconds([&] {
                                 for (int n = 0; n < repeats; ++n) raw();
                             }));
        least_typed = std::min(least_typed, seconds([&] {
                                   for (int n = 0; n < repeats; ++n) typed();
                               }));
        is_above = limit > 0 && least_typed > limit * least_raw;
    }
    std::printf("%-28s %8.2f us typed %8.2f us raw %6.2f x%s\n", name, 1e6 * least_typed / repeats,
                1e6 * least_raw / repeats, least_typed / least_raw, is_above ? " ABOVE" : "");
    return !is_above;
}

} // namespace loops

using namespace loops;

// With --limit 1.1, the exit status is 1 if a ratio is above that number.
int main(int count, char** arguments) {
    bool const has_limit = count == 3 && std::string(arguments[1]) == "--limit";
    double const limit = has_limit ? std::strtod(arguments[2], nullptr) : 0;
    if (count > 1 && limit <= 0) {
        std::puts("usage: algebra_loops [--limit RATIO]");
        return 2;
    }
    int failures = 0;
    std::vector<float> x(edge * edge, 1);
    std::vector<float> y(edge * edge, 2);
    std::vector<float> z(edge * edge, 0);
    int const h = known_late_height;
    int const w = known_late_width;
    late_rows const late_x(x.data(), I(h), K(w));
    late_columns const late_y(y.data(), I(h), K(w));
    auto const compare_pair = [&](char const* name, int repeats, auto typed, auto raw) {
        failures += !compare(name, limit, repeats, typed, raw);
    };
    compare_pair(
        "fill static", 200, [&] { typed_fill(rows(x.data()), 3); }, [&] { raw_fill(x.data(), 3); });
    compare_pair(
        "fill dynamic", 200, [&] { typed_late_fill(late_x, 3); },
        [&] { raw_late_fill(x.data(), h, w, 3); });
    compare_pair(
        "for_each static", 100, [&] { typed_for_each(rows(x.data()), 3); },
        [&] { raw_range(x.data(), 3); });
    compare_pair(
        "for_each dynamic", 100, [&] { typed_late_for_each(late_x, 3); },
        [&] { raw_late_range(x.data(), h, w, 3); });
    compare_pair(
        "copy to blocks static", 50, [&] { typed_copy_call(blocks(y.data()), rows(x.data())); },
        [&] { raw_copy(y.data(), x.data()); });
    compare_pair(
        "copy to columns static", 50,
        [&] { typed_transpose_call(columns(y.data()), rows(x.data())); },
        [&] { raw_transpose(y.data(), x.data()); });
    compare_pair(
        "copy to columns dynamic", 50, [&] { typed_late_transpose_call(late_y, late_x); },
        [&] { raw_late_transpose(y.data(), x.data(), h, w); });

    compare_pair(
        "range static", 100, [&] { typed_range(rows(x.data()), 3); },
        [&] { raw_range(x.data(), 3); });
    compare_pair(
        "range dynamic", 100, [&] { typed_late_range(late_x, 3); },
        [&] { raw_late_range(x.data(), h, w, 3); });
    compare_pair(
        "range to blocks static", 50, [&] { typed_copy(blocks(y.data()), rows(x.data())); },
        [&] { raw_copy(y.data(), x.data()); });
    compare_pair(
        "range to columns static", 50, [&] { typed_transpose(columns(y.data()), rows(x.data())); },
        [&] { raw_transpose(y.data(), x.data()); });
    compare_pair(
        "range to columns dynamic", 50, [&] { typed_late_transpose(late_y, late_x); },
        [&] { raw_late_transpose(y.data(), x.data(), h, w); });

    int const n = known_late_edge;
    using fixed = matrices<edge>;
    using late = matrices<spio::dynamic>;
    using bounded = matrices<spio::dynamic.up_to(4096)>;
    compare_pair(
        "product static", 1,
        [&] { typed_product(fixed::A(x.data()), fixed::B(y.data()), fixed::C(z.data())); },
        [&] { raw_static_product(x.data(), y.data(), z.data()); });
    compare_pair(
        "product dynamic", 1,
        [&] {
            typed_product(late::A(x.data(), I(n), K(n)), late::B(y.data(), K(n), J(n)),
                          late::C(z.data(), I(n), J(n)));
        },
        [&] { raw_product(x.data(), y.data(), z.data(), n, n, n); });
    compare_pair(
        "product dynamic.up_to(4096)", 1,
        [&] {
            typed_product(bounded::A(x.data(), I(n), K(n)), bounded::B(y.data(), K(n), J(n)),
                          bounded::C(z.data(), I(n), J(n)));
        },
        [&] { raw_columns_first_product(x.data(), y.data(), z.data(), n, n, n); });
    return failures != 0;
}
