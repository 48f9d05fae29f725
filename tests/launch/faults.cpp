// Each call of the driver and of NVRTC fails once, in a program that uses every kind of launch.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. The host device simulates a GPU on the CPU. The fake
// driver stands for CUDA's: it keeps memory and kernels in plain objects, and can fail any call. A
// policy says whether images come from packs (files of them), from a compiler at run time, or both.
// A cold kernel is one that is not loaded yet, which no graph capture may do. axpby is
// y = a x + b y. fake::the_machine() has the state of the fake driver.
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

axpby::scalars vector(array<float> const& values) { return values.as<axpby::scalars>(axpby::N(n)); }

// Adds 2 x to y six times: in a stream of its own, in a borrowed stream and in a graph, with
// kernels that are prepared, and compiled when they are loaded. Returns whether y, which begins as
// 5, is right at the end, and a cold kernel was refused in the capture. Throws what the driver or
// NVRTC report; `losses` counts objects that could not be released.
bool launch_every_way(std::string const& folder, int& losses) {
    cuda::driver const driver(fake::find, [&](spio::error const&) { ++losses; });
    jit::nvrtc const compiler(fake::nvrtc, "fake");
    cache::options options;
    options.folder = folder;
    runtime const gpu({.packs = {},
                       .gpu = 1,
                       .policy = policy::aot_then_jit,
                       .cache = options,
                       .driver = &driver,
                       .compiler = &compiler});
    auto const warm = axpby::specialize({.n = 1000}, gpu.arch());
    auto const cold = axpby::specialize({.n = 10'000'000}, gpu.arch());
    spec const first[] = {warm};
    gpu.prepare(first);

    stream const own_stream(gpu.target_device());
    array<float> const x(gpu.target_device(), n), y(gpu.target_device(), n);
    std::vector<float> const x_values = {1, 2, 3, 4, 5}, y_values = {5, 5, 5, 5, 5};
    own_stream.write(x, x_values);
    own_stream.write(y, y_values);
    axpby::params const p = {.a = 2, .x = vector(x), .b = 1, .y = vector(y)};
    auto const kernel = gpu.load(warm, own_stream);
    own_stream.launch(kernel, p);

    bool is_reported = false;
    auto const graph = own_stream.capture([&] {
        own_stream.launch(kernel, p);
        try {
            own_stream.launch(gpu.load(cold, own_stream), p);
        } catch (spio::error const& e) {
            if (e.kind() != error_kind::cold_kernel) throw;
            is_reported = e.subject() == "kernel " + cold.spelled();
        }
        own_stream.launch(kernel, p);
    });
    own_stream.launch(graph);
    own_stream.launch(gpu.load(cold, own_stream), p);

    cuda::context const foreign_context(driver.device(1));
    cuda::stream const foreign_stream(foreign_context);
    stream const borrowed_stream(gpu.target_device(), cuda::stream_ref(foreign_stream).handle());
    borrowed_stream.launch(kernel, p);
    own_stream.launch(gpu.load(cold), p);

    std::vector<float> sums(n);
    own_stream.read(std::span(sums), y);
    own_stream.synchronize();
    return is_reported && sums == std::vector<float>{17, 29, 41, 53, 65};
}

// Whether the sums are right, or else the error names the call and the object that it concerns.
struct outcome {
    bool is_right = false, is_reported = false;
    int losses = 0;
    std::string message = {};
};

// What comes of launching in every way when one call of the driver fails.
outcome outcome_of(fake::fault fault) {
    test::folder const folder;
    fake::the_machine().expect(fault);
    outcome result;
    try {
        result.is_right = launch_every_way(folder.path, result.losses);
    } catch (spio::error const& e) {
        bool const is_about_kernel = e.subject().find("axpby") != std::string::npos;
        result.is_reported = e.kind() == error_kind::device
                                 ? !e.tried().empty() && !e.subject().empty()
                                 : is_about_kernel || e.tried() == "nvrtcVersion";
        result.message = e.what();
    }
    return result;
}

// Removes what a failure left in the fake driver: objects, and contexts that are entered or
// retained.
void reset_machine() {
    auto& machine = fake::the_machine();
    machine.objects.clear();
    fake::entered.clear();
    for (int& retained : machine.retained) retained = 0;
}

} // namespace

TEST_CASE("a call that fails is reported, whichever it is, and no object is leaked") {
    auto& machine = fake::the_machine();
    REQUIRE(outcome_of({}).is_right);
    REQUIRE(machine.objects.empty());
    auto const calls = machine.calls;
    std::set<std::string> const entries(calls.begin(), calls.end());
    long reported = 0, right = 0, wrong = 0, pairs = 0;
    for (std::size_t call = 0; call < calls.size(); ++call) {
        // The call fails without effect, by CUDA_ERROR_OUT_OF_MEMORY or CUDA_ERROR_LAUNCH_FAILED,
        // or it takes effect and fails all the same.
        for (auto const& [code, has_effect] : {std::pair(2U, false), {719U, false}, {2U, true}}) {
            CAPTURE(call);
            CAPTURE(calls[call]);
            auto const result = outcome_of({static_cast<long>(call), code, has_effect});
            CAPTURE(result.message);
            // What a call that took effect made, or one that releases could not, may remain.
            bool const is_clean =
                has_effect || result.losses > 0 || (machine.objects.empty() && fake::programs == 0);
            reset_machine();
            bool const is_fine = (result.is_reported || result.is_right) && is_clean;
            CHECK(is_fine);
            ++pairs;
            ++(result.is_right ? right : reported);
            wrong += !is_fine;
        }
        // A run without a fault succeeds afterwards.
        if (call % 16 == 0) CHECK(outcome_of({}).is_right);
        reset_machine();
    }
    std::cout << "summary: launch.faults: " << calls.size() << " calls of " << entries.size()
              << " entries, " << pairs << " faults: " << reported << " reported, " << right
              << " results right all the same, " << wrong << " wrong\n";
    CHECK(pairs >= 500); // else too little was tested
}
