// Launches find the fastest of several configurations; it is also built with TSan.
// SPDX-License-Identifier: Apache-2.0
//
// Candidates are kernels for one problem. A turn is a launch that is timed; times come from the
// clock of a fake GPU, which each launch moves on by the time of its kernel. Each candidate has
// `rounds` turns. `tiers` counts: compared (problems whose candidates are timed), decided, recorded
// (the fastest is kept), unrecorded (it could not be). Events are late while none is passed yet.
// fake::the_machine() has the state of the fake driver. A spec is what a kernel is compiled from; a
// `rig` is the fake GPU with its candidates.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.image;
import spio.launch;
import spio.spec;
import spio.system;

using namespace spio;

namespace {

using axpby_kernel = kernel<axpby::params>;

// The spec of a candidate, and an image that the fake driver loads as its cubin: each number has
// other blocks of threads.
typed_spec<axpby::params> spec_number(std::size_t number) {
    auto const threads = static_cast<int>(32 * (number + 1));
    return axpby::specialize({.n = 1000}, {.threads = threads, .vectors = 1}, sm_90a);
}
// An image that only the fake driver loads.
image image_number(std::size_t number) {
    auto const spec = spec_number(number);
    std::string const text = "\177ELF" + spec.symbol + " " + '\0';
    return image_of_bytes(spec, image_kind::cubin, std::as_bytes(std::span(text)), "a test");
}

// What was kept: a candidate's number among those offered, from 0 on, and its microseconds.
struct recorded_time {
    std::size_t number;
    double microseconds;
};

// A GPU on which candidate i takes milliseconds[i]. Candidate 0 is what launches begin with; the
// others are offered, and have the numbers from 0 on there.
struct rig {
    std::vector<double> milliseconds;
    std::vector<std::string> symbols;
    bool is_reset = reset();
    cuda::driver driver{fake::find};
    device gpu = gpu_device(driver, 0);
    no_source none;
    spio::images images{none, none, policy::aot_only};
    spio::kernels kernels{gpu};
    config_source configs;
    spio::tiers tiers{images, kernels, configs, {}};
    spio::stream stream{gpu};
    tiered<axpby_kernel> value{load(image_number(0))};
    std::vector<recorded_time> records;
    std::function<void()> before_recording = [] {};

    explicit rig(std::vector<double> times) : milliseconds(std::move(times)) {
        for (std::size_t i = 0; i < milliseconds.size(); ++i) {
            symbols.push_back(spec_number(i).symbol);
        }
        fake::the_machine().milliseconds_of_kernel = [this](std::string const& name) {
            return milliseconds[place_of(name)];
        };
    }
    ~rig() {
        tiers.wait();
        reset();
    }
    static bool reset() {
        auto& machine = fake::the_machine();
        machine.expect({});
        machine.milliseconds_of_kernel = nullptr;
        machine.are_events_late = false;
        return true;
    }
    // The number of the candidate whose kernel has this symbol.
    std::size_t place_of(std::string const& symbol) const {
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            if (symbols[i] == symbol) return i;
        }
        throw std::logic_error("no candidate has the symbol " + symbol);
    }
    axpby_kernel load(image const& image) const {
        return kernels.load(typed_image<axpby::params>{image, spec_number(0).grid});
    }
    // Offers the candidates from 1 on.
    void improve() {
        value.improve<image>(
            tiers, "a problem",
            [this] {
                std::vector<image> found;
                for (std::size_t i = 1; i < milliseconds.size(); ++i) {
                    found.push_back(image_number(i));
                }
                return found;
            },
            [this](image const& found) { return load(found); },
            [this](image const& fastest, double microseconds) {
                before_recording();
                records.push_back({place_of(fastest.symbol) - 1, microseconds});
            });
        tiers.wait();
    }
    // Launches, and returns the candidate that was taken. A launch with other sizes than those of
    // the problem is not comparable: its time says nothing.
    std::size_t launch(spio::stream const& queue, bool is_comparable = true) const {
        ready_kernel const* taken = nullptr;
        value.launch(queue, is_comparable, [&](axpby_kernel const& ready) {
            taken = &ready.ready();
            queue.launch(ready, launch_shape{.grid = {1}, .shape = spec_number(0).shape},
                         axpby::params());
        });
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            auto const loaded = kernels.find(spec_number(i));
            if (loaded && &loaded->ready() == taken) return i;
        }
        throw std::logic_error("a kernel was launched that is no candidate");
    }
    // How many of so many launches took each candidate.
    std::vector<std::size_t> launches(std::size_t count) const {
        std::vector<std::size_t> taken(milliseconds.size());
        for (std::size_t i = 0; i < count; ++i) ++taken[launch(stream)];
        return taken;
    }
};

constexpr auto rounds = timed_choice::rounds;

} // namespace

TEST_CASE("launches take all candidates in turn, and go on with the fastest, which is kept") {
    rig rig({5, 3, 2, 4});
    CHECK(rig.launch(rig.stream) == 0);
    rig.improve();
    CHECK(rig.launches(3 * rounds) == std::vector<std::size_t>{0, rounds, rounds, rounds});
    CHECK(rig.tiers.count().compared == 1);
    CHECK(rig.tiers.count().decided == 0);
    // The next launch collects the last time.
    CHECK(rig.launches(5) == std::vector<std::size_t>{0, 0, 5, 0});
    rig.tiers.wait();
    auto const count = rig.tiers.count();
    CHECK(count.decided == 1);
    CHECK(count.recorded == 1);
    CHECK(count.unrecorded == 0);
    REQUIRE(rig.records.size() == 1);
    CHECK(rig.records.front().number == 1);
    CHECK(rig.records.front().microseconds == doctest::Approx(2000));
}

TEST_CASE("no launch waits for a time: until all are known, launches take the first candidate") {
    rig rig({5, 3, 2});
    rig.improve();
    fake::the_machine().are_events_late = true;
    CHECK(rig.launches(2 * rounds) == std::vector<std::size_t>{0, rounds, rounds});
    CHECK(rig.launches(4) == std::vector<std::size_t>{0, 4, 0});
    auto const& calls = fake::the_machine().calls;
    for (std::string const call : calls) {
        CHECK(call != "cuEventSynchronize");
        CHECK(call != "cuStreamSynchronize");
    }
    fake::the_machine().are_events_late = false;
    CHECK(rig.launches(4) == std::vector<std::size_t>{0, 0, 4});
}

TEST_CASE("launches of other sizes, and those of a capture, are not timed") {
    rig rig({5, 3, 2});
    rig.improve();
    CHECK(rig.launch(rig.stream, /*is_comparable=*/false) == 1);
    auto const count_of = [](std::string const& name) {
        std::size_t count = 0;
        for (std::string const call : fake::the_machine().calls) count += call == name;
        return count;
    };
    for (int i = 0; i < 40; ++i) CHECK(rig.launch(rig.stream, /*is_comparable=*/false) == 1);
    auto const graph = rig.stream.capture([&] {
        for (int i = 0; i < 40; ++i) CHECK(rig.launch(rig.stream) == 1);
        stream const other(rig.gpu); // the thread has a capture, if not in this stream
        CHECK(rig.launch(other) == 1);
    });
    CHECK(count_of("cuEventRecord") == 0);
    CHECK(rig.launches(2 * rounds + 1) == std::vector<std::size_t>{0, rounds, rounds + 1});
    CHECK(rig.tiers.count().decided == 1);
}

TEST_CASE("asking for times does not invalidate a capture of the same thread by another library") {
    rig rig({5, 3, 2});
    rig.improve();
    cuda::context const context(rig.driver.device(0));
    cuda::stream const foreign(context);
    rig.launches(5); // there are times to ask for
    cuda::begin_capture(foreign, cuda::abi::capture_mode::global);
    rig.launches(2);
    CHECK_NOTHROW(cuda::end_capture(foreign));
    rig.launches(2 * rounds);
    CHECK(rig.tiers.count().decided == 1);
}

TEST_CASE("a launch that fails has no time, and its turn comes again") {
    rig rig({5, 3, 2});
    rig.improve();
    for (int i = 0; i < 30; ++i) {
        auto const fails = [](axpby_kernel const&) { throw std::runtime_error("wrong sizes"); };
        CHECK_THROWS_AS(rig.value.launch(rig.stream, /*is_comparable=*/true, fails),
                        std::runtime_error);
    }
    CHECK(rig.launches(2 * rounds + 1) == std::vector<std::size_t>{0, rounds, rounds + 1});
}

TEST_CASE("if any call of the driver fails, launches go on or throw its error, and nothing leaks") {
    for (long call = 0;; ++call) {
        bool is_over = false;
        {
            rig rig({5, 3, 2});
            rig.improve();
            rig.launch(rig.stream, /*is_comparable=*/false);
            auto const objects = fake::the_machine().objects.size();
            fake::the_machine().expect({.call = call, .code = 999}); // an unknown error
            for (std::size_t i = 0; i < 2 * rounds + 2; ++i) {
                try {
                    rig.launch(rig.stream);
                } catch (error const&) { // the launch itself
                }
            }
            is_over = fake::the_machine().failed == nullptr;
            std::string const failed = is_over ? "" : fake::the_machine().failed;
            CAPTURE(failed);
            fake::the_machine().expect({});
            rig.tiers.wait();
            auto const count = rig.tiers.count();
            // A turn of a launch that failed comes later.
            bool const is_launch = failed.starts_with("cuLaunch") || failed.starts_with("cuCtx");
            if (!is_launch) CHECK(count.decided + count.failed >= 1);
            CHECK(rig.launch(rig.stream) > 0);
            CHECK(fake::the_machine().objects.size() <= objects + 8); // two events of four timers
        }
        if (is_over) break;
        REQUIRE(call < 1000);
    }
}

TEST_CASE("a fastest kernel that cannot be kept is taken all the same, and this is counted") {
    rig rig({5, 3, 2});
    rig.before_recording = [] { throw std::runtime_error("the disk is full"); };
    rig.improve();
    rig.launches(2 * rounds + 1);
    rig.tiers.wait();
    CHECK(rig.tiers.count().decided == 1);
    CHECK(rig.tiers.count().recorded == 0);
    CHECK(rig.tiers.count().unrecorded == 1);
    CHECK(rig.launch(rig.stream) == 2);
}

TEST_CASE("a single candidate takes over at once") {
    rig rig({5, 7});
    rig.improve();
    CHECK(rig.launches(4) == std::vector<std::size_t>{0, 4});
    CHECK(rig.tiers.count().compared == 0);
    CHECK(rig.records.empty());
}

TEST_CASE("threads that launch in streams of their own agree on one of the candidates") {
    for (int round = 0; round < 10; ++round) {
        rig rig({5, 3, 2, 4});
        rig.improve();
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                stream const own(rig.gpu);
                for (int i = 0; i < 30; ++i) rig.launch(own);
            });
        }
        threads.clear();
        rig.launch(rig.stream);
        rig.tiers.wait();
        CHECK(rig.tiers.count().decided == 1);
        auto const last = rig.launch(rig.stream);
        REQUIRE(rig.records.size() == 1);
        CHECK(rig.records.front().number + 1 == last);
        CHECK(rig.launches(3)[last] == 3);
    }
}
