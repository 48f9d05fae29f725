// Each call of the driver and of NVRTC fails once, on the whole way from a problem to a result.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <cstddef>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <vector>

import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;

namespace {

constexpr int n = 5;

axpby::scalars vector(array<float> const& in) { return in.as<axpby::scalars>(axpby::N(n)); }

// Compiles, prepares, loads, copies, launches in streams of three kinds and in a graph; throws what
// went wrong. y, at first 5, gets twice x six times.
bool spend(std::string const& folder, int& losses) {
    cuda::driver const driver(fake::find, [&](spio::error const&) { ++losses; });
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    cache::options kept;
    kept.folder = folder;
    runtime const gpu({.packs = {},
                       .gpu = 1,
                       .policy = policy::aot_then_jit,
                       .cache = kept,
                       .driver = &driver,
                       .compiler = &compiler});
    auto const warm = axpby::specialize({.n = 1000}, gpu.arch());
    auto const cold = axpby::specialize({.n = 10'000'000}, gpu.arch());
    spec const first[] = {warm};
    gpu.prepare(first);

    stream const one(gpu.on());
    array<float> const x(gpu.on(), n), y(gpu.on(), n);
    std::vector<float> const of_x = {1, 2, 3, 4, 5}, of_y = {5, 5, 5, 5, 5};
    one.write(x, of_x);
    one.write(y, of_y);
    axpby::params const p = {.a = 2, .x = vector(x), .b = 1, .y = vector(y)};
    auto const kernel = gpu.load(warm, one);
    one.launch(kernel, p);

    bool is_told = false;
    auto const twice = one.capture([&] {
        one.launch(kernel, p);
        try {
            one.launch(gpu.load(cold, one), p);
        } catch (spio::error const& e) {
            if (e.kind() != error_kind::cold_kernel) throw;
            is_told = e.subject() == "kernel " + cold.spelled();
        }
        one.launch(kernel, p);
    });
    one.launch(twice);
    one.launch(gpu.load(cold, one), p);

    cuda::context const theirs(driver.device(1));
    cuda::stream const of_theirs(theirs);
    stream const borrowed(gpu.on(), cuda::stream_ref(of_theirs).handle());
    borrowed.launch(kernel, p);
    one.launch(gpu.load(cold), p);

    std::vector<float> sums(n);
    one.read(std::span(sums), y);
    one.synchronize();
    return is_told && sums == std::vector<float>{17, 29, 41, 53, 65};
}

struct outcome {
    bool is_right = false, is_told = false;
    int losses = 0;
    std::string what = {};
};

outcome day_with(fake::fault fault) {
    test::folder const own;
    fake::the_machine().expect(fault);
    outcome day;
    try {
        day.is_right = spend(own.path, day.losses);
    } catch (spio::error const& e) {
        bool const is_about_kernel = e.subject().find("axpby") != std::string::npos;
        day.is_told = e.kind() == error_kind::device
                          ? !e.tried().empty() && !e.subject().empty()
                          : is_about_kernel || e.tried() == "nvrtcVersion";
        day.what = e.what();
    }
    return day;
}

void forget() {
    auto& machine = fake::the_machine();
    machine.objects.clear();
    fake::entered.clear();
    for (int& retained : machine.retained) retained = 0;
}

} // namespace

TEST_CASE("whichever call fails from a problem to a result, it is told, and nothing is left") {
    auto& machine = fake::the_machine();
    REQUIRE(day_with({}).is_right);
    REQUIRE(machine.objects.empty());
    auto const calls = machine.calls;
    std::set<std::string> const entries(calls.begin(), calls.end());
    long told = 0, right = 0, wrong = 0, pairs = 0;
    for (std::size_t k = 0; k < calls.size(); ++k) {
        // Before it does anything, by running out of memory or because all is lost; or after all.
        for (auto const& [code, after] : {std::pair(2U, false), {719U, false}, {2U, true}}) {
            CAPTURE(k);
            CAPTURE(calls[k]);
            auto const day = day_with({static_cast<long>(k), code, after});
            CAPTURE(day.what);
            bool const is_clean =
                after || day.losses > 0 || (machine.objects.empty() && fake::programs == 0);
            forget();
            bool const is_fine = (day.is_told || day.is_right) && is_clean;
            CHECK(is_fine);
            ++pairs;
            ++(day.is_right ? right : told);
            wrong += !is_fine;
        }
        // The next goes well.
        if (k % 16 == 0) CHECK(day_with({}).is_right);
        forget();
    }
    std::cout << "figure: launch.faults: " << calls.size() << " calls of " << entries.size()
              << " entries, " << pairs << " faults: " << told << " told, " << right
              << " results right all the same, " << wrong << " wrong\n";
    CHECK(pairs >= 500);
}
