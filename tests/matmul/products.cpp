// Matrix products of random sizes on a device, against sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// The product is d = activation(a b + bias) + c, where c is the residual; what follows the sums of
// a b is the epilogue. A trial runs a test case on a device: a GPU, or the host device, which
// simulates one on the CPU. With small effort (is_small()) it runs fewer sizes, and share() is the
// part of some problems that an effort runs. A kernel's name has its body, then the orders in which
// a and b are stored, or what else is special about it.
#include "products.h"
#include "inputs.h"
#include "trial.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

import spio.matmul;

extern "C" void matmul_wgmma_row_column(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_row_row(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_column_column(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_column_row(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_square(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_high(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_gelu(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_silu(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_relu(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_known(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_ping_pong(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_ping_pong_high(spio::matmul::wgmma::params p);
extern "C" void matmul_wgmma_ping_pong_gelu(spio::matmul::wgmma::params p);
extern "C" void matmul_cp_async_row_column(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_row_row(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_column_column(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_column_row(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_gelu(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_silu(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_relu(spio::matmul::cp_async::params p);
extern "C" void matmul_cp_async_known(spio::matmul::cp_async::params p);

namespace {

using namespace spio;
using namespace test::matmul_products;

// A kernel under test, the problem that it was compiled for, and a function that launches it.
struct variant {
    char const* symbol;
    problem made_for;
    bool needs_whole_cells; // of 16 bytes in the rows of the result
    std::function<void(test::trial&, problem const&, matmul::args const&)> launch;
};

template <class Product, class Params>
variant variant_of(char const* symbol, void (*function)(Params), Product const& product) {
    auto const launch = [=](test::trial& trial, problem const& problem, matmul::args const& args) {
        auto const& config = product.config;
        block_shape shape = {.block = {config.threads()}};
        test::kernel<Params> const kernel = {symbol, function};
        if constexpr (std::is_same_v<Params, matmul::wgmma::params>) {
            using namespace matmul::wgmma;
            shape.shared_bytes = config.shared_bytes(problem);
            auto const map = [&](tensor_map_plan const& plan, void const* base) {
                return trial.make_map<tensor_map_words>(plan, const_cast<void*>(base));
            };
            shape.cluster = {config.cluster()};
            // Few clusters, so that each has several tiles, and each consumer in ping-pong.
            auto const clusters = std::min(config.tiles(args.sizes), config.ping_pong ? 1LL : 2LL);
            trial.launch(kernel, {static_cast<int>(clusters) * config.cluster()}, shape,
                         {.a = map(a_plan(problem, config, args), args.a.data),
                          .b = map(b_plan(problem, config, args), args.b.data),
                          .d = map(d_plan(problem, config, args), args.d.data),
                          .sizes = args.sizes,
                          .bias = args.bias,
                          .c = args.c});
        } else {
            shape.shared_bytes = config.shared_bytes();
            trial.launch(kernel, {static_cast<int>(config.tiles(args.sizes))}, shape, {args});
        }
    };
    return {symbol, product.problem, std::is_same_v<Params, matmul::wgmma::params>, launch};
}

// A result as a double: a float as it is, or the number that 16 bits stand for in a type.
template <class Result> double number(Result value, factor_type) { return value; }
template <> double number(unsigned short bits, factor_type type) {
    return matmul::number_of(bits, type);
}

// The bits of a residual as elements of the result.
template <class Result> std::vector<Result> elements_of(stored_matrix const& c, factor_type type) {
    std::vector<Result> elements;
    for (auto const bits : c.bits) {
        if constexpr (std::is_same_v<Result, float>) {
            elements.push_back(static_cast<float>(matmul::number_of(bits, type)));
        } else {
            elements.push_back(bits);
        }
    }
    return elements;
}

// Runs a product once, and compares all results. Result is float or the bits of a 16-bit type.
template <class Result>
void run_one(test::trial& trial, variant const& variant, problem const& p, inputs const& x) {
    auto const a = trial.make("a", x.a.bits), b = trial.make("b", x.b.bits);
    auto const bias = trial.make("bias", x.bias);
    auto const c = trial.make("c", elements_of<Result>(x.c, p.type));
    int const unit = p.alignment / 2;                          // elements of 2 bytes
    int const leading = (p.n + unit - 1) / unit * unit + unit; // from row to row
    stored_matrix d = {.lines = p.m, .width = p.n, .leading = leading, .batch = p.batch};
    auto const results = trial.make<Result>("d", d.size());
    std::vector<Result> guards(d.size());
    std::memset(guards.data(), 0xa5, guards.size() * sizeof(Result)); // no kernel may change these
    results.write(guards);
    variant.launch(trial, p,
                   {.sizes = {p.m, p.n, p.k, p.batch},
                    .a = x.a.template view<void const>(a.data()),
                    .b = x.b.template view<void const>(b.data()),
                    .bias = bias.data(),
                    .c = x.c.template view<void const>(c.data()),
                    .d = d.template view<void>(results.data())});

    auto const got = results.read();
    std::vector<double> residual;
    for (auto const bits : x.c.dense()) residual.push_back(matmul::number_of(bits, p.type));
    auto const a_bits = x.a.dense(), b_bits = x.b.dense();
    auto const exact =
        matmul::reference(p, {.a = a_bits, .b = b_bits, .bias = x.bias, .c = residual});
    std::string const name = std::string(variant.symbol) + " " + std::to_string(p.m) + " x " +
                             std::to_string(p.n) + " x " + std::to_string(p.k);
    for (int matrix = 0; matrix < p.batch; ++matrix) {
        for (int line = 0; line < p.m; ++line) {
            for (int n = 0; n < d.leading; ++n) {
                auto const place = d.place(matrix, line, n);
                if (n >= p.n) {
                    trial.expect(std::memcmp(&got[place], &guards[place], sizeof(Result)) == 0,
                                 [&] { return name + " writes beside the matrix"; });
                    continue;
                }
                auto const i = static_cast<std::size_t>((matrix * p.m + line) * p.n + n);
                trial.expect_within(name, i, number(got[place], p.type), exact.values[i],
                                    exact.bounds[i]);
            }
        }
    }
    trial.same_bits(name, got);
}

// Runs a product of these sizes on random matrices.
void run(test::trial& trial, variant const& variant, problem const& p) {
    inputs const x(trial.random(), p);
    if (p.result == result_type::fp32) {
        run_one<float>(trial, variant, p, x);
    } else {
        run_one<unsigned short>(trial, variant, p, x);
    }
}

// Products of random sizes up to two or three tiles, with all remainders. Every eighth or so is a
// batch of 3; the result of wgmma has rows of whole cells.
void run_random(test::trial& trial, std::vector<variant> const& variants, int problems) {
    auto const drawn = [&](int most) {
        return 1 + static_cast<int>(trial.random()() % static_cast<unsigned>(most));
    };
    for (int n = 0; n < trial.share(problems); ++n) {
        auto const& variant = variants[static_cast<std::size_t>(n) % variants.size()];
        problem p = variant.made_for;
        if (!p.has_static_m()) {
            p.m = drawn(trial.is_small() ? 70 : 300);
            p.n = drawn(trial.is_small() ? 70 : 300);
            p.k = drawn(trial.is_small() ? 130 : 200);
            p.batch = drawn(8) == 1 ? 3 : 1;
            if (variant.needs_whole_cells) p.n = (p.n + 7) / 8 * 8;
        }
        run(trial, variant, p);
    }
}

// Products of so many rows, so deep that each stage of a ring of factors is filled at least twice.
void run_deep(test::trial& trial, std::vector<variant> const& variants, int height) {
    for (auto const& variant : variants) {
        problem p = variant.made_for;
        if (p.has_static_m()) continue;
        p.m = height;
        p.n = 72;
        p.k = 728;
        run(trial, variant, p);
    }
}

// NaN and infinities reach the results of their rows and columns, and no others.
void run_infinite(test::trial& trial, std::vector<variant> const& variants) {
    for (auto const& variant : variants) {
        problem p = variant.made_for;
        if (p.has_static_m() || p.activation != activation::none || p.residual) continue;
        p.m = 70;
        p.n = 72;
        p.k = 80;
        inputs x(trial.random(), p);
        // Row 3 of a gets one infinity, at place 77 along k, and row 69, which is in the second
        // tile of 64 rows, one NaN, at place 5.
        unsigned short const infinity = p.type == bf16 ? 0x7f80 : 0x7c00;
        bool const by_rows = p.a == rows;
        x.a.bits[x.a.place(/*matrix=*/0, by_rows ? 3 : 77, by_rows ? 77 : 3)] = infinity;
        x.a.bits[x.a.place(/*matrix=*/0, by_rows ? 69 : 5, by_rows ? 5 : 69)] = not_a_number;
        auto const a = trial.make("a", x.a.bits), b = trial.make("b", x.b.bits);
        constexpr int leading = 80; // elements from row to row, of which a matrix has p.n
        stored_matrix const d = {.lines = p.m, .width = p.n, .leading = leading, .batch = 1};
        // All of it is read below, but a kernel writes only the matrix: the rest must not be
        // uninitialized. The bytes 0xff are NaN in each type.
        auto const results = trial.make<float>("d", d.size());
        std::vector<float> unwritten(d.size());
        std::memset(unwritten.data(), 0xff, unwritten.size() * sizeof(float));
        results.write(unwritten);
        variant.launch(trial, p,
                       {.sizes = {p.m, p.n, p.k, 1},
                        .a = x.a.view<void const>(a.data()),
                        .b = x.b.view<void const>(b.data()),
                        .d = d.view<void>(results.data())});
        auto const got = results.read();
        for (int m = 0; m < p.m; ++m) {
            for (int n = 0; n < p.n; ++n) {
                double value = got[d.place(/*matrix=*/0, m, n)];
                if (p.result != result_type::fp32) {
                    unsigned short bits;
                    auto const* const bytes = reinterpret_cast<unsigned char const*>(got.data());
                    std::memcpy(&bits, bytes + 2 * d.place(/*matrix=*/0, m, n), 2);
                    value = matmul::number_of(bits, p.type);
                }
                bool const is_right = m == 3    ? std::isinf(value)
                                      : m == 69 ? std::isnan(value)
                                                : std::isfinite(value);
                trial.expect(is_right, [&] {
                    return std::string(variant.symbol) + " has " + std::to_string(value) +
                           " in row " + std::to_string(m);
                });
            }
        }
    }
}

std::vector<variant> const wgmma_variants = {
    variant_of("matmul_wgmma_row_column", matmul_wgmma_row_column, wgmma_row_column),
    variant_of("matmul_wgmma_row_row", matmul_wgmma_row_row, wgmma_row_row),
    variant_of("matmul_wgmma_column_column", matmul_wgmma_column_column, wgmma_column_column),
    variant_of("matmul_wgmma_column_row", matmul_wgmma_column_row, wgmma_column_row),
    variant_of("matmul_wgmma_square", matmul_wgmma_square, wgmma_square),
    variant_of("matmul_wgmma_high", matmul_wgmma_high, wgmma_high),
    variant_of("matmul_wgmma_gelu", matmul_wgmma_gelu, wgmma_gelu),
    variant_of("matmul_wgmma_silu", matmul_wgmma_silu, wgmma_silu),
    variant_of("matmul_wgmma_relu", matmul_wgmma_relu, wgmma_relu),
    variant_of("matmul_wgmma_known", matmul_wgmma_known, wgmma_known),
    variant_of("matmul_wgmma_ping_pong", matmul_wgmma_ping_pong, wgmma_ping_pong),
    variant_of("matmul_wgmma_ping_pong_high", matmul_wgmma_ping_pong_high, wgmma_ping_pong_high),
    variant_of("matmul_wgmma_ping_pong_gelu", matmul_wgmma_ping_pong_gelu, wgmma_ping_pong_gelu),
};
std::vector<variant> const cp_async_variants = {
    variant_of("matmul_cp_async_row_column", matmul_cp_async_row_column, cp_async_row_column),
    variant_of("matmul_cp_async_row_row", matmul_cp_async_row_row, cp_async_row_row),
    variant_of("matmul_cp_async_column_column", matmul_cp_async_column_column,
               cp_async_column_column),
    variant_of("matmul_cp_async_column_row", matmul_cp_async_column_row, cp_async_column_row),
    variant_of("matmul_cp_async_gelu", matmul_cp_async_gelu, cp_async_gelu),
    variant_of("matmul_cp_async_silu", matmul_cp_async_silu, cp_async_silu),
    variant_of("matmul_cp_async_relu", matmul_cp_async_relu, cp_async_relu),
    variant_of("matmul_cp_async_known", matmul_cp_async_known, cp_async_known),
};

// Each variant once with small effort; wgmma needs architecture 90.
test::test_case const wgmma_case(
    "matmul_wgmma",
    [](test::trial& trial) { run_random(trial, wgmma_variants, trial.is_small() ? 13 : 210); }, 90);
test::test_case const wgmma_infinite_case(
    "matmul_wgmma_infinite", [](test::trial& trial) { run_infinite(trial, wgmma_variants); }, 90);

// The last three are in ping-pong, and have several tiles of each consumer.
test::test_case const wgmma_deep_case(
    "matmul_wgmma_deep",
    [](test::trial& trial) {
        run_deep(trial, {wgmma_variants.end() - 3, wgmma_variants.end()}, /*height=*/200);
    },
    /*arch=*/90);
test::test_case const cp_async_case("matmul_cp_async", [](test::trial& trial) {
    run_random(trial, cp_async_variants, trial.is_small() ? 10 : 210);
});
test::test_case const cp_async_deep_case("matmul_cp_async_deep", [](test::trial& trial) {
    run_deep(trial, cp_async_variants, /*height=*/70);
});
test::test_case const cp_async_infinite_case("matmul_cp_async_infinite", [](test::trial& trial) {
    run_infinite(trial, cp_async_variants);
});

} // namespace
