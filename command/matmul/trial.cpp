// Tries matrix products on random factors, and compares the results with those computed in double.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data; its verdict counts the results that are wrong. A workbench
// is a device with the kernels that were loaded there, a config how blocks and threads share a
// problem, and a spec what a kernel is compiled from. A config_source finds measured
// configurations; without one the family, the kernels of one operation, chooses. The product is d =
// activation(a b + bias) + c, where c is the residual. poison() fills an array with bytes that no
// kernel writes, so that a missing write is found. A checked_size is a number that becomes too
// large, and stays so, where an int would overflow. host_value<T> is what the host has for T: T, or
// the bits of a half.
module;

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

module spio.command;

import spio.launch;
import spio.matmul;
import spio.matmul.launch;
import spio.spec;

namespace spio::command {

namespace {

using matmul::factor_type;
using matmul::number_of;
using matmul::order;
using matmul::result_type;

// The rows or columns of a batch of matrices, as they lie in memory: `width` numbers each, from one
// line to the next a multiple of `unit` numbers.
struct stored_lines {
    std::size_t batch, lines, width, unit;

    // From the start of a line to that of the next, in numbers of 2 bytes.
    std::size_t leading() const { return (width + unit - 1) / unit * unit; }
    checked_size count() const {
        return checked_size(batch) * checked_size(lines) * checked_size(width);
    }
    std::size_t dense_size() const { return static_cast<std::size_t>(count().value); }
    std::size_t size() const { return batch * lines * leading(); }
    // Where element `number` of the lines without padding lies among those with padding.
    std::size_t stored_index(std::size_t number) const {
        return number / width * leading() + number % width;
    }
    // The elements as they lie in memory, with `padding` between the lines.
    template <class T> std::vector<T> padded(std::vector<T> const& dense, T padding) const {
        std::vector<T> stored(size(), padding);
        for (std::size_t i = 0; i < dense.size(); ++i) stored[stored_index(i)] = dense[i];
        return stored;
    }
    // The matrices in the form of the kernel's parameters, at the address `data`.
    template <class T> matmul::matrix<T> view(T* data) const {
        return {data, static_cast<long long>(leading()), static_cast<long long>(lines * leading())};
    }
};

// The bits of random numbers of magnitude at most 2.
std::vector<unsigned short> random_factors(std::mt19937& random, std::size_t count,
                                           factor_type type) {
    if (type == factor_type::fp16) return random_halves(random, count);
    std::vector<unsigned short> bits;
    for (float const value : random_floats(random, count, -1, 1)) {
        bits.push_back(static_cast<unsigned short>(std::bit_cast<std::uint32_t>(value) >> 16));
    }
    return bits;
}

// A trial's problem, its configuration, and its matrices, which are drawn when first needed.
struct matmul_data {
    matmul::problem problem;
    matmul::config config;
    std::mt19937 random;
    std::vector<unsigned short> a = {}, b = {};
    std::vector<float> bias = {};
    // Bits of numbers of the factors' type; converted if the results are floats.
    std::vector<unsigned short> c = {};

    // The lines of a matrix with `outer` rows and `inner` columns.
    stored_lines lines(int outer, int inner, order order) const {
        auto const size = [](int n) { return static_cast<std::size_t>(n); };
        return {size(problem.batch), size(order == order::rows ? outer : inner),
                size(order == order::rows ? inner : outer), size(problem.alignment / 2)};
    }
    stored_lines a_lines() const { return lines(problem.m, problem.k, problem.a); }
    stored_lines b_lines() const { return lines(problem.k, problem.n, problem.b); }
    stored_lines d_lines() const { return lines(problem.m, problem.n, order::rows); }
    std::size_t result_size() const { return d_lines().dense_size(); }
    void draw() {
        a = random_factors(random, a_lines().dense_size(), problem.type);
        b = random_factors(random, b_lines().dense_size(), problem.type);
        bias = random_floats(random, problem.bias ? static_cast<std::size_t>(problem.n) : 0, -2, 2);
        c = random_factors(random, problem.residual ? result_size() : 0, problem.type);
    }
    std::vector<double> c_numbers() const {
        std::vector<double> numbers;
        for (auto const bits : c) numbers.push_back(number_of(bits, problem.type));
        return numbers;
    }
};

// What a launch needs on the device. `Result` is float, or half for 16 bits of either type.
template <class Result> struct matmul_arrays {
    matmul::product product;
    array<half> a, b;
    array<float> bias;
    array<Result> c, d;
};

// A result as a double: a float as it is, or the number that 16 bits stand for in a type.
double result_of(float value, factor_type) { return value; }
double result_of(unsigned short bits, factor_type type) { return number_of(bits, type); }

// The matrix c in the type of the results, with padding.
template <class Result> std::vector<host_value<Result>> residual_of(matmul_data const& data) {
    std::vector<host_value<Result>> dense;
    for (auto const bits : data.c) {
        if constexpr (std::is_same_v<Result, float>) {
            dense.push_back(static_cast<float>(number_of(bits, data.problem.type)));
        } else {
            dense.push_back(bits);
        }
    }
    return data.d_lines().padded(dense, host_value<Result>());
}

// Loads the kernel and uploads the matrices.
template <class Result> prepared_trial prepare(workbench& bench, matmul_data const& data) {
    unsigned short const not_a_number = 0x7fff; // in the padding of lines, which no kernel reads
    auto const arrays = std::make_shared<matmul_arrays<Result>>(
        matmul::product(bench, data.problem, data.config),
        bench.upload<half>(data.a_lines().padded(data.a, not_a_number), "a"),
        bench.upload<half>(data.b_lines().padded(data.b, not_a_number), "b"),
        bench.upload<float>(data.bias, "bias"),
        bench.upload<Result>(residual_of<Result>(data), "c"),
        array<Result>(bench.target_device(), data.d_lines().size(), "d"));
    auto const launch = [&data, arrays](stream const& stream) {
        auto const& [product, a, b, bias, c, d] = *arrays;
        auto const& p = data.problem;
        product.launch(stream, {.sizes = {p.m, p.n, p.k, p.batch},
                                .a = data.a_lines().view<void const>(a.data()),
                                .b = data.b_lines().view<void const>(b.data()),
                                .bias = bias.data(),
                                .c = data.d_lines().view<void const>(c.data()),
                                .d = data.d_lines().view<void>(d.data())});
    };
    auto const check = [&bench, &data, arrays, launch](stream const& stream) {
        bench.poison(arrays->d);
        launch(stream);
        stream.synchronize();
        auto const c = data.c_numbers();
        auto const exact =
            matmul::reference(data.problem, {.a = data.a, .b = data.b, .bias = data.bias, .c = c});
        auto const results = bench.download(arrays->d);
        auto const lines = data.d_lines();
        verdict verdict;
        for (std::size_t i = 0; i < exact.values.size(); ++i) {
            verdict.compare("d", i, result_of(results[lines.stored_index(i)], data.problem.type),
                            exact.values[i], exact.bounds[i]);
        }
        return verdict;
    };
    return {launch, check};
}

// `words` are the fields of the problem, such as "m=512 n=512 k=512".
trial create(std::string_view words, arch arch, unsigned seed, config_source const& configs) {
    auto const problem = parse<matmul::problem>("matmul", words);
    auto const config = best_config(problem, arch, configs);
    auto const data = std::make_shared<matmul_data>(problem, config, std::mt19937(seed));
    bool const is_wide = problem.result == result_type::fp32;
    return {.problem = text_of(problem),
            .kernels = {spec_of(problem, config, arch)},
            .bytes_moved =
                (data->a_lines().count() + data->b_lines().count()) * 2 +
                data->d_lines().count() * problem.result_bytes() * (problem.residual ? 2 : 1),
            .prepare = [data, is_wide](workbench& bench) {
                if (data->a.empty()) data->draw();
                return is_wide ? prepare<float>(bench, *data) : prepare<half>(bench, *data);
            }};
}

// The configurations that `spio tune` measures, as text, the fastest by the estimate first.
std::vector<std::string> configs_worth_a_trial(std::string_view words, arch arch) {
    std::vector<std::string> texts;
    for (auto const& config : space(parse<matmul::problem>("matmul", words), arch)) {
        texts.push_back(matmul::config_text(config));
    }
    return texts;
}

} // namespace

trial_family matmul_trials() {
    return {.name = "matmul",
            .meaning = "a matrix product with an epilogue, d = activation(a b + bias) + c",
            .example = "m=512 n=512 k=512",
            .fields = describe_fields<matmul::problem>,
            .create = create,
            .configs = configs_worth_a_trial,
            .choosers = [](arch arch) {
                return std::vector{chooser_line("matmul", arch, matmul::describe_model(arch))};
            }};
}

} // namespace spio::command
