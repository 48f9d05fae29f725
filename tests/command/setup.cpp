// Trials that are set up in a few lines: their random data, their launches, and what they find.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a kernel on random data and compares the results with exact ones. The host device, a
// GPU that is simulated on the CPU, runs all kernels here. A family is the kernels of one
// operation, a spec what one of them is compiled from; a workbench is the device of a trial.
#include <doctest/doctest.h>

#include "axpby/problem.h"
#include "layernorm_2d/problem.h"
#include "spio/dims.h"
#include "tests/contains.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

import spio.axpby;
import spio.command;
import spio.host;
import spio.launch;
import spio.layernorm_2d;
import spio.runtime;
import spio.spec;

using namespace spio;
using namespace spio::command;

namespace {

// What the launches of these trials choose besides the problem.
struct chosen_mistake {
    int mistake = 0;
};

} // namespace
template <> struct spio::field_table<chosen_mistake> {
    static constexpr auto fields =
        std::tuple(field{"mistake", &chosen_mistake::mistake, {.least = 0}, presence::optional});
};

namespace {

constexpr host_machine the_host = {
    .allocate = host::allocate, .release = host::release, .find = host::find};

// Runs a trial on the host device and checks it. Each check begins with the trial's random numbers
// and launches by itself, so that an earlier launch or check changes nothing. `words` are the
// problem's.
verdict check_trial(trial_family const& family, std::string_view words, unsigned seed = 1) {
    spio::runtime const runtime({.host = the_host, .always_on_host = true});
    workbench bench(runtime, policy::aot_only);
    auto const trial = create_trial(family, words, runtime.arch(), seed);
    auto const prepared = trial.prepare(bench);
    prepared.launch(bench.queue());
    auto const first = prepared.check(bench.queue());
    auto const second = prepared.check(bench.queue());
    CHECK(first.wrong == second.wrong);
    CHECK(first.worst == second.worst);
    return first;
}

// A mistake in a trial of y = 2 x + 3 y. With forgotten_input, y is declared as an output alone.
enum mistake { none, one_number, all_numbers, forgotten_input };

void set_up_axpby(trial_setup& setup, axpby::problem const& problem, chosen_mistake const& chosen) {
    axpby::N const n(problem.n);
    auto const mistake = chosen.mistake;
    auto const x = setup.input<axpby::readable_scalars>("x", {-2, 2}, n);
    auto const y = mistake == forgotten_input ? setup.output<axpby::scalars>("y", n)
                                              : setup.input<axpby::scalars>("y", {4, 5}, n);
    setup.launch(
        axpby::specialize(problem, setup.target()),
        [=](device_arrays const& arrays) {
            return axpby::params{.a = 2, .x = arrays[x], .b = 3, .y = arrays[y]};
        },
        [=](comparison& results) {
            auto const x_numbers = results.input(x), y_numbers = results.input(y);
            for (auto const position : range(n)) {
                double exact = 2 * *x_numbers[position] + 3 * *y_numbers[position];
                if (mistake == all_numbers || (mistake == one_number && position == axpby::N(17))) {
                    exact += 1;
                }
                results.compare(y, position, exact, /*bound=*/1e-5);
            }
        });
}
trial_family axpby_trials() { return trials_of<"axpby", set_up_axpby>("y = 2 x + 3 y", "n=1000"); }

} // namespace

TEST_CASE("a trial finds each wrong number, and names the first") {
    auto const right = check_trial(axpby_trials(), "n=1000");
    CHECK(right.compared == 1000);
    CHECK(right.wrong == 0);
    CHECK(right.worst > 0);
    auto const one_wrong = check_trial(axpby_trials(), "n=1000 mistake=1");
    CHECK(one_wrong.wrong == 1);
    CHECK(test::contains(one_wrong.first_wrong, "y[N(17)] is "));
    CHECK(check_trial(axpby_trials(), "n=1000 mistake=2").wrong == 1000);
    // An output begins with NaNs. The kernel reads them here.
    CHECK(check_trial(axpby_trials(), "n=1000 mistake=3").wrong == 1000);
}

namespace {

// y = 2 x + 3 y, with a large array that no kernel reads, whose numbers repeat after drawn_count.
constexpr int drawn_count = 1'048'573;
void set_up_large(trial_setup& setup, axpby::problem const& problem) {
    axpby::N const n(problem.n), large_size(2 * drawn_count + 7);
    auto const large = setup.input<axpby::readable_scalars>("large", {1, 2}, large_size);
    auto const x = setup.input<axpby::readable_scalars>("x", {-2, 2}, n);
    auto const y = setup.input<axpby::scalars>("y", {4, 5}, n);
    setup.launch(
        axpby::specialize(problem, setup.target()),
        [=](device_arrays const& arrays) {
            return axpby::params{.a = 2, .x = arrays[x], .b = 3, .y = arrays[y]};
        },
        [=](comparison& results) {
            auto const numbers = results.input(large);
            std::set<double> different;
            int in_range = 0;
            for (auto const position : range(large_size)) {
                double const number = *numbers[position];
                in_range += number >= 1 && number <= 2;
                if (position < axpby::N(1000)) different.insert(number);
                double const drawn = *numbers[axpby::N(position.get() % drawn_count)];
                if (number != drawn) results.compare(y, axpby::N(0), /*exact=*/0, /*bound=*/0);
            }
            CHECK(in_range == large_size.get());
            CHECK(different.size() > 990);
            CHECK(*numbers[axpby::N(0)] != *numbers[axpby::N(drawn_count - 1)]);
        });
}

} // namespace

TEST_CASE("an array of many numbers has those that were drawn for its beginning again") {
    CHECK(check_trial(trials_of<"axpby", set_up_large>("", "n=1000"), "n=1000").wrong == 0);
}

TEST_CASE("the words of a trial are those of all its structs") {
    auto const trial = create_trial(axpby_trials(), "n=1000", host_arch, /*seed=*/1);
    CHECK(trial.problem == "n=1000 mistake=0");
    // x is read; y is read and written.
    CHECK(trial.bytes_moved.value == 3 * 4 * 1000);
    CHECK(trial.kernels.size() == 1);
    CHECK_THROWS_WITH(create_trial(axpby_trials(), "n=1000 mistakes=1", host_arch, 1),
                      doctest::Contains("did you mean 'mistake'?"));
}

namespace {

// Normalizes rows of 8 channels, of halves or of bfloat16s, which are rounded by up to 1/256.
template <class T> void set_up_layer(trial_setup& setup, layernorm_2d::problem const& problem) {
    layernorm_2d::X const rows(50);
    layernorm_2d::C const channels(problem.channels);
    auto const x = setup.input<layernorm_2d::images_of<T const>>("x", {-3, 3}, rows, channels);
    auto const y = setup.output<layernorm_2d::images_of<T>>("y", rows, channels);
    auto const ones = setup.input<layernorm_2d::factors_to_read>("weight", {1, 1}, channels);
    auto const bias = setup.input<layernorm_2d::factors_to_read>("bias", {0, 0}, channels);
    setup.launch(
        layernorm_2d::specialize<T>(problem, setup.target()),
        [=](device_arrays const& arrays) {
            return layernorm_2d::params_of<T>{
                .x = arrays[x], .y = arrays[y], .weight = arrays[ones], .bias = arrays[bias]};
        },
        [=](comparison& results) {
            auto const numbers = results.input(x);
            for (auto const row : range(rows)) {
                double mean = 0, variance = 1e-5;
                for (auto const c : range(channels)) mean += *numbers[row][c] / 8;
                for (auto const c : range(channels)) {
                    variance += std::pow(*numbers[row][c] - mean, 2) / 8;
                }
                for (auto const c : range(channels)) {
                    double const exact = (*numbers[row][c] - mean) / std::sqrt(variance);
                    results.compare(y, row + c, exact, std::abs(exact) / 200 + 1e-3);
                }
            }
        });
}

} // namespace

TEST_CASE("a kernel of halves and one of bfloat16s get the numbers that are compared") {
    auto const halves = check_trial(
        trials_of<"layernorm_2d", set_up_layer<half>>("LayerNorm", "channels=8"), "channels=8");
    CHECK(halves.compared == 400);
    CHECK(halves.wrong == 0);
    auto const bfloat16s = check_trial(
        trials_of<"layernorm_2d", set_up_layer<bfloat16>>("LayerNorm", "channels=8 type=bf16"),
        "channels=8 type=bf16");
    CHECK(bfloat16s.wrong == 0);
    CHECK(bfloat16s.worst > halves.worst);
}

namespace {

// axpby, whose vectors are seen four numbers at a time, beside arrays that no kernel reads.
void set_up_vectors(trial_setup& setup, axpby::problem const& problem) {
    axpby::N const n(problem.n);
    auto const x = setup.input<axpby::vectors>("x", {-2, 2}, n);
    auto const y = setup.input<axpby::vectors>("y", {-2, 2}, n);
    using bytes = tensor<unsigned char const, axpby::elements>;
    using numbers = tensor<int, axpby::elements>;
    auto const small = setup.input<bytes>("small", {3, 6}, n);
    auto const integer = setup.input<numbers>("integer", {-70000, -69998}, n);
    auto const ones = setup.output<numbers>("ones", n);
    setup.launch(
        axpby::specialize(problem, setup.target()),
        [=](device_arrays const& arrays) {
            auto* const x_data = reinterpret_cast<float*>(arrays[x].get());
            auto* const y_data = reinterpret_cast<float*>(arrays[y].get());
            return axpby::params{
                .a = 1, .x = axpby::scalars(x_data, n), .b = -1, .y = axpby::scalars(y_data, n)};
        },
        [=](comparison& results) {
            auto const x_numbers = results.input(x), y_numbers = results.input(y);
            for (auto const vector : range(axpby::Vector(n.get() / 4))) {
                for (int i = 0; i < 4; ++i) {
                    auto const k = static_cast<std::size_t>(i);
                    double const exact = (*x_numbers[vector])[k] - (*y_numbers[vector])[k];
                    results.compare(y, vector, i, exact, /*bound=*/1e-6);
                }
            }
            std::set<double> drawn_small, drawn_integers;
            for (auto const position : range(n)) {
                drawn_small.insert(*results.input(small)[position]);
                drawn_integers.insert(*results.input(integer)[position]);
                results.compare(integer, position, *results.input(integer)[position], /*bound=*/0);
                // An output begins with all bits set.
                results.compare(ones, position, /*exact=*/-1, /*bound=*/0);
            }
            CHECK(drawn_small == std::set<double>{3, 4, 5, 6});
            CHECK(drawn_integers == std::set<double>{-70000, -69999, -69998});
        });
}

} // namespace

TEST_CASE("arrays of vectors and of whole numbers") {
    auto const found =
        check_trial(trials_of<"axpby", set_up_vectors>("y = x - y", "n=1000"), "n=1000");
    CHECK(found.compared == 3000);
    CHECK(found.wrong == 0);
}

TEST_CASE("a number of 16 bits is stored as itself, and one between two as that towards zero") {
    for (auto const& [format, infinity] :
         {std::pair(format_of<half>(), 0x7c00), std::pair(format_of<bfloat16>(), 0x7f80)}) {
        unsigned compared = 0;
        for (int bits = 0; bits < infinity; ++bits) {
            for (int const sign : {0, 0x8000}) {
                unsigned char const stored[] = {static_cast<unsigned char>(bits & 0xff),
                                                static_cast<unsigned char>((bits | sign) >> 8)};
                unsigned char encoded[2], rounded[2];
                double const number = format.decode(stored);
                format.encode(number, encoded);
                format.encode(number * (1 + 0x1p-13), rounded);
                compared += encoded[0] == stored[0] && encoded[1] == stored[1] &&
                            rounded[0] == stored[0] && rounded[1] == stored[1];
            }
        }
        CHECK(compared == 2U * static_cast<unsigned>(infinity));
    }
    unsigned char stored[2];
    format_of<half>().encode(1e6, stored); // stored as the largest half
    CHECK(format_of<half>().decode(stored) == 65504);
}

// Sizes are those of the tensor's dynamic dimensions, and what is written is not const.
template <class Tensor, class... Sizes>
concept taken_as_input =
    requires(trial_setup& s, Sizes... sizes) { s.input<Tensor>("x", {0, 1}, sizes...); };
template <class Tensor, class... Sizes>
concept taken_as_output =
    requires(trial_setup& s, Sizes... sizes) { s.output<Tensor>("y", sizes...); };
static_assert(taken_as_input<axpby::scalars, axpby::N>);
static_assert(taken_as_input<axpby::readable_scalars, axpby::N>);
static_assert(!taken_as_input<axpby::scalars>);
static_assert(!taken_as_input<axpby::scalars, layernorm_2d::X>);
static_assert(!taken_as_input<axpby::scalars, int>);
static_assert(taken_as_output<axpby::scalars, axpby::N>);
static_assert(!taken_as_output<axpby::scalars, layernorm_2d::X>);
static_assert(!taken_as_output<axpby::readable_scalars, axpby::N>);
