// What references compute, and which arguments they and launches refuse, compared with a record.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad and wgrad compute the gradients of input and filter. A residual
// is a tensor that is added to the output, a preactivation the value before the activation, of
// which dgrad takes the derivative. A reference computes a family's results in double, with a bound
// of the error that a kernel may have. Kernels are compared with references within the bounds, so
// that a bound that is too wide hides mistakes; here each value and each bound counts.
// references.txt has a digest for each problem, and the words of each refusal. To change them on
// purpose, record and commit the file:
//     SPIO_RECORD_REFERENCES=tests/spec/references.txt build/ci/tests/spec/test_spec
//     -tc="*computed*"
#include "tests/spec/recorded.h"

#include "matmul/cp_async.h"
#include "matmul/problem.h"

#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import spio.axpby;
import spio.conv2d;
import spio.layernorm_2d;
import spio.matmul;
import spio.spec;

using namespace spio;
using test::digest;

namespace {

// Draws inputs, and notes a line for each answer.
class record {
  public:
    std::vector<std::string> lines;
    std::mt19937 random{27};

    std::size_t below(std::size_t count) { return random() % count; }
    // The bits of elements near 1 or -1, but for one in 40, whose bits are any: few of those are
    // infinite, no number, or tiny.
    std::vector<unsigned short> elements(std::size_t size, bool is_bf16) {
        std::vector<unsigned short> bits(size);
        for (auto& element : bits) {
            unsigned const exponent = is_bf16 ? 0x3f80 : 0x3c00;
            element = static_cast<unsigned short>((random() & 0x83ffU) | exponent);
            if (below(40) == 0) element = static_cast<unsigned short>(random() & 0xffff);
        }
        return bits;
    }
    std::vector<float> floats(std::size_t size) {
        std::vector<float> values(size);
        for (auto& value : values) value = static_cast<float>(random() % 4001) / 1000 - 2;
        return values;
    }
    void add(std::string const& name, std::string const& answer) {
        lines.push_back(name + ": " + answer);
    }
    void add(std::string const& name, std::initializer_list<std::vector<double> const*> lists) {
        digest digest;
        for (auto const* list : lists) {
            for (double const number : *list) digest.add(number);
        }
        add(name, digest.text());
    }
    // Notes why a call is refused.
    void ask(std::string const& name, std::function<void()> const& call) {
        try {
            call();
            add(name, "taken");
        } catch (error const& e) {
            add(name, e.what());
        }
    }
};

// The error that each sum may have.
std::vector<double> bounds_of(conv2d::problem const& problem, conv2d::double_sums const& sums) {
    std::vector<double> bounds;
    for (std::size_t i = 0; i < sums.values.size(); ++i) {
        bounds.push_back(conv2d::error_bound(problem, sums, i));
    }
    return bounds;
}

void add_convolution(record& record, std::string_view words) {
    auto const p = parse<conv2d::problem>("conv2d", words);
    auto const size = [](int a, int b, int c, int d) {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) *
               static_cast<std::size_t>(c) * static_cast<std::size_t>(d);
    };
    bool const is_bf16 = p.type == conv2d::element_type::bf16;
    auto const name = "conv2d " + std::string(words);
    auto const x_size = size(p.n, p.h, p.w, p.c), y_size = size(p.n, p.p(), p.q(), p.c);
    if (p.pass == conv2d::direction::wgrad) {
        auto const x = record.elements(x_size, is_bf16), dy = record.elements(y_size, is_bf16);
        auto const [filter, bias] = conv2d::reference_gradients(p, x, dy);
        auto const bounds = bounds_of(p, filter);
        record.add(name,
                   {&filter.values, &filter.magnitudes, &bias.values, &bias.magnitudes, &bounds});
        auto const one_more = record.elements(x_size + 1, /*is_bf16=*/false);
        record.ask(name + " x + 1", [&] { conv2d::reference_gradients(p, one_more, dy); });
        record.ask(name + " dy is x", [&] { conv2d::reference_gradients(p, x, one_more); });
        return;
    }
    bool const is_dgrad = p.pass == conv2d::direction::dgrad;
    auto const channels = static_cast<std::size_t>(p.c);
    auto const input = record.elements(is_dgrad ? y_size : x_size, is_bf16),
               filter = record.elements(size(p.c, p.r, p.s, 8), is_bf16),
               residual = record.elements(p.residual ? y_size : 0, is_bf16),
               preactivation = record.elements(p.has_derivative() ? y_size : 0, is_bf16);
    auto const bias = record.floats(p.bias ? channels : 0),
               scale = record.floats(p.scale ? channels : 0);
    conv2d::double_inputs const inputs = {input, filter, bias, scale, residual, preactivation};
    auto const [output, second] = conv2d::reference(p, inputs);
    auto const bounds = bounds_of(p, output);
    record.add(name, {&output.values, &output.magnitudes, &output.errors, &bounds, &second.values,
                      &second.magnitudes, &second.errors});
    // Every argument is refused where it has another size.
    auto const words_more = record.elements(input.size() + 1, /*is_bf16=*/false);
    auto const floats_more = record.floats(channels + 1);
    auto const ask = [&](std::string const& argument, auto const& change) {
        auto changed = inputs;
        change(changed);
        record.ask(name + " " + argument, [&] { conv2d::reference(p, changed); });
    };
    ask("input", [&](auto& operands) { operands.input = words_more; });
    ask("filter", [&](auto& operands) { operands.filter = words_more; });
    ask("bias", [&](auto& operands) { operands.bias = floats_more; });
    ask("scale", [&](auto& operands) { operands.scale = floats_more; });
    ask("residual", [&](auto& operands) { operands.residual = words_more; });
    ask("preactivation", [&](auto& operands) { operands.preactivation = words_more; });
}

void add_convolutions(record& record) {
    for (auto const* const words :
         {"n=2 c=16 h=5 w=6", "n=1 c=8 h=7 w=4 r=3 s=5 pad_h=2 pad_w=1 stride_h=2",
          "n=1 c=8 h=9 w=9 dilation_h=2 dilation_w=2 stride_w=2 type=bf16 bias=true",
          "n=1 c=16 h=4 w=5 scale=true bias=true activation=silu residual=true preactivation=true",
          "n=2 c=8 h=4 w=4 activation=gelu type=bf16", "n=1 c=8 h=4 w=4 activation=relu",
          "n=1 c=8 h=4 w=4 residual=true",
          "n=1 c=8 h=5 w=6 pass=dgrad stride_h=2 stride_w=2 r=3 s=2 pad_h=1 pad_w=1",
          "n=1 c=16 h=6 w=5 pass=dgrad activation=silu type=bf16",
          "n=1 c=8 h=6 w=5 pass=dgrad activation=gelu dilation_h=2 r=2",
          "n=1 c=8 h=6 w=5 pass=dgrad activation=relu pad_h=3 pad_w=0",
          "n=2 c=16 h=5 w=6 pass=wgrad bias=true",
          "n=1 c=8 h=7 w=8 pass=wgrad stride_h=2 dilation_w=2 s=2 type=bf16 gradient=bf16",
          "n=1 c=8 h=3 w=3 r=1 s=1 pad_h=2 pad_w=1 pass=wgrad gradient=fp16"}) {
        add_convolution(record, words);
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int function = 0; function < 4; ++function) {
        std::vector<double> values;
        for (double const x : {-infinity, -1e300, -30.0, -3.0, -1.0, -1e-9, 0.0, 1e-9, 0.5, 1.0,
                               2.0, 8.0, 40.0, 1e300, infinity}) {
            values.push_back(conv2d::activated(x, static_cast<conv2d::activation>(function)));
            values.push_back(conv2d::derivative(x, static_cast<conv2d::activation>(function)));
        }
        record.add("conv2d activation " + std::to_string(function), {&values});
    }
    for (int precision = 0; precision < 3; ++precision) {
        for (long long const products : {0LL, 1LL, 72LL, (1LL << 23) - 1, 1LL << 23, 1LL << 40}) {
            std::vector<double> bounds;
            for (double const value : {0.0, -3.0, 1e-40, 7e4}) {
                auto const type = static_cast<conv2d::precision>(precision);
                bounds.push_back(conv2d::bound(products, value, 2 * std::abs(value), type));
                bounds.push_back(
                    conv2d::bound(products, value, /*magnitude=*/2.5, type, /*error=*/0.125));
            }
            record.add("conv2d bound of " + std::to_string(products) + " products in " +
                           std::to_string(precision),
                       {&bounds});
        }
    }
}

void add_numbers(record& record) {
    for (int type = 0; type < 2; ++type) {
        std::vector<double> numbers;
        for (unsigned bits = 0; bits < 0x10000; bits += 3) {
            auto const element = static_cast<unsigned short>(bits);
            numbers.push_back(conv2d::number_of(element, static_cast<conv2d::element_type>(type)));
            numbers.push_back(matmul::number_of(element, static_cast<matmul::factor_type>(type)));
            numbers.push_back(
                layernorm_2d::number_of(element, static_cast<layernorm_2d::element_type>(type)));
        }
        record.add("numbers of 16 bits, type " + std::to_string(type), {&numbers});
    }
}

void add_products(record& record) {
    for (int i = 0; i < 16; ++i) {
        matmul::problem p = {.m = 3 + i % 4, .n = 5 + i % 3, .k = 4 + 3 * (i % 5)};
        p.batch = 1 + i % 3;
        p.type = static_cast<matmul::factor_type>(i % 2);
        p.result = i % 3 == 0   ? matmul::result_type::fp32
                   : i % 2 == 0 ? matmul::result_type::fp16
                                : matmul::result_type::bf16;
        p.a = static_cast<matmul::order>(i / 2 % 2);
        p.b = static_cast<matmul::order>(i / 4 % 2);
        p.bias = i % 5 < 2;
        p.activation = static_cast<matmul::activation>(i / 4);
        p.residual = i % 4 == 1;
        auto const count = [](int a, int b, int c) { return static_cast<std::size_t>(a * b * c); };
        bool const is_bf16 = p.type == matmul::factor_type::bf16;
        auto const a = record.elements(count(p.batch, p.m, p.k), is_bf16),
                   b = record.elements(count(p.batch, p.k, p.n), is_bf16);
        auto const bias = record.floats(p.bias ? static_cast<std::size_t>(p.n) : 0);
        std::vector<double> c(p.residual ? count(p.batch, p.m, p.n) : 0);
        for (auto& value : c) value = static_cast<double>(record.below(100)) / 8 - 6;
        auto const name = "matmul " + text_of(p);
        matmul::operands const operands = {.a = a, .b = b, .bias = bias, .c = c};
        auto const results = matmul::reference(p, operands);
        record.add(name, {&results.values, &results.bounds});
        auto const more = record.elements(a.size() + b.size(), /*is_bf16=*/true);
        auto const floats = record.floats(bias.size() + 1);
        std::vector<double> const doubles(c.size() + 1);
        auto const ask = [&](std::string const& argument, auto const& change) {
            auto changed = operands;
            change(changed);
            record.ask(name + " " + argument, [&] { matmul::reference(p, changed); });
        };
        if (i >= 2) continue;
        ask("a", [&](auto& operands) { operands.a = more; });
        ask("b", [&](auto& operands) { operands.b = more; });
        ask("bias", [&](auto& operands) { operands.bias = floats; });
        ask("c", [&](auto& operands) { operands.c = doubles; });
    }
}

void add_sums(record& record) {
    for (int i = 0; i < 4; ++i) {
        layernorm_2d::problem const p = {.channels = 8 + 16 * i,
                                         .affine = i % 2 == 0,
                                         .type = static_cast<layernorm_2d::element_type>(i / 2)};
        auto const channels = static_cast<std::size_t>(p.channels);
        auto const x = record.elements(5 * channels, i / 2 == 1);
        auto const weight = record.floats(p.affine ? channels : 0),
                   bias = record.floats(p.affine ? channels : 0);
        auto const y = layernorm_2d::reference(p, x, weight, bias, /*epsilon=*/0.25F);
        auto const name = "layernorm_2d " + text_of(p);
        record.add(name, {&y});
        auto const more = record.elements(x.size() + 1, /*is_bf16=*/false);
        auto const floats = record.floats(channels + 1);
        record.ask(name + " x",
                   [&] { layernorm_2d::reference(p, more, weight, bias, /*epsilon=*/1); });
        record.ask(name + " weight",
                   [&] { layernorm_2d::reference(p, x, floats, bias, /*epsilon=*/1); });
        record.ask(name + " bias",
                   [&] { layernorm_2d::reference(p, x, weight, floats, /*epsilon=*/1); });
    }
    auto const x = record.floats(30), y = record.floats(30);
    auto const sums = axpby::reference(/*a=*/1.5F, x, /*b=*/-0.75F, y);
    record.add("axpby", {&sums});
    record.ask("axpby of 30 and 0", [&] { axpby::reference(/*a=*/1, x, /*b=*/1, /*y=*/{}); });
}

} // namespace

TEST_CASE("references are computed, and arrays are refused, as recorded") {
    record record;
    add_convolutions(record);
    add_numbers(record);
    add_products(record);
    add_sums(record);
    auto const number =
        test::compare_with_record(record.lines, SPIO_REFERENCES, "SPIO_RECORD_REFERENCES");
    std::cout << "summary: spec.references: " << number << " answers as recorded\n";
}
