// Sizes that a launch of a trial chooses, and the places of results that are wrong.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a kernel on random data and compares the results with exact ones. The host device, a
// GPU that is simulated on the CPU, runs all kernels here. A workbench is the device of a trial.
#include <doctest/doctest.h>

#include "axpby/problem.h"
#include "layernorm_2d/problem.h"
#include "spio/dims.h"

#include <cmath>
#include <string_view>
#include <tuple>

import spio.axpby;
import spio.command;
import spio.host;
import spio.launch;
import spio.layernorm_2d;
import spio.runtime;

using namespace spio;
using namespace spio::command;

namespace {

// What a launch chooses besides the number of rows: whether one row is compared with 1.
struct chosen_mistake {
    bool is_wrong = false;
};

} // namespace
template <> struct spio::field_table<chosen_mistake> {
    static constexpr auto fields =
        std::tuple(field{"mistake", &chosen_mistake::is_wrong, {}, presence::optional});
};

namespace {

// LayerNorm without weights, of as many positions as the launch says. The exact results of one
// position are wrong.
using Position = layernorm_2d::X;
void set_up_rows(trial_setup& setup, layernorm_2d::problem const& problem, Position rows,
                 chosen_mistake const& chosen) {
    layernorm_2d::C const channels(problem.channels);
    auto const x = setup.input<layernorm_2d::images_of<half const>>("x", {1, 1}, rows, channels);
    auto const y = setup.output<layernorm_2d::images_of<half>>("y", rows, channels);
    setup.launch(
        layernorm_2d::specialize(problem, setup.target()),
        [=](device_arrays const& arrays) {
            return layernorm_2d::params{.x = arrays[x], .y = arrays[y]};
        },
        [=](comparison& results) {
            for (auto const row : range(rows)) {
                bool const is_wrong = row == rows - Position(1) && chosen.is_wrong;
                for (auto const c : range(channels)) {
                    results.compare(y, row + c, is_wrong ? 1 : 0, /*bound=*/0);
                }
            }
        });
}
trial_family rows_trials() {
    return trials_of<"layernorm_2d", set_up_rows, "rows">("", "channels=8 affine=false rows=5");
}

verdict check_rows(std::string_view words) {
    spio::runtime const runtime(
        {.host =
             host_machine{.allocate = host::allocate, .release = host::release, .find = host::find},
         .always_on_host = true});
    workbench bench(runtime, policy::aot_only);
    return create_trial(rows_trials(), words, runtime.arch(), /*seed=*/1)
        .prepare(bench)
        .check(bench.queue());
}

} // namespace

TEST_CASE("a size that a launch chooses is a parameter, and its field has the name that is given") {
    auto const right = check_rows("channels=8 affine=false rows=5");
    CHECK(right.compared == 40);
    CHECK(right.wrong == 0);
    auto const wrong = check_rows("channels=8 affine=false rows=5 mistake=true");
    CHECK(wrong.wrong == 8);
    CHECK(wrong.first_wrong == "y[X(4) + C(0)] is 0, should be 1, and may be 0 off");
    auto const trial =
        create_trial(rows_trials(), "mistake=true rows=7 channels=8", host_arch, /*seed=*/1);
    CHECK(trial.problem == "channels=8 affine=true rows=7 mistake=true");
    CHECK(create_trial(rows_trials(), "channels=8", host_arch, 1).problem ==
          "channels=8 affine=true rows=100 mistake=false");
    CHECK_THROWS_WITH(create_trial(rows_trials(), "channels=8 rows=0", host_arch, 1),
                      doctest::Contains("rows is 0, but must be at least 1"));
}

TEST_CASE("the place of a wrong result is spelled as a program spells it") {
    using Row = dimension<"Row">;
    CHECK(text_of_place(Row(3) + axpby::N(-4)) == "[Row(3) + N(-4)]");
    CHECK(text_of_place(make_coordinates(fold<axpby::N, 8>(2))) ==
          "[spio::folded<spio::axpby::N, 8>(2)]");
    verdict unwritten;
    CHECK(unwritten.count(std::nan(""), 1, 0));
    unwritten.describe("y[N(1)]", std::nan(""), /*exact=*/1, /*bound=*/0, /*was_nan=*/true);
    CHECK(unwritten.first_wrong ==
          "y[N(1)] was not written, or is nan, should be 1, and may be 0 off");
    CHECK(!unwritten.count(2, 1, 0));
    CHECK(unwritten.wrong == 2);
}

namespace {

void set_up_nothing(trial_setup& setup, axpby::problem const& problem) {
    setup.input<axpby::scalars>("x", {-2, 2}, axpby::N(problem.n));
}

} // namespace

TEST_CASE("trials of another family than they are added to are refused") {
    char program[] = "spio", word[] = "version";
    char* words[] = {program, word};
    auto trials = rows_trials();
    project_family const own = {layernorm_2d::family_entry(), trials};
    CHECK(run_program(words, {.families = {own}}) == 0);
    trials.name = "layernorm";
    project_family const other = {layernorm_2d::family_entry(), trials};
    CHECK(run_program(words, {.families = {own, other}}) == static_cast<int>(exit_status::usage));
}

TEST_CASE("a setup without a launch is an error") {
    auto const family = trials_of<"axpby", set_up_nothing>("nothing", "n=1000");
    CHECK_THROWS_WITH(create_trial(family, "n=1000", host_arch, 1),
                      doctest::Contains("trial_setup::launch() was not called"));
}
