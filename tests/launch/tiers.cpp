// Launches begin with one kernel, and a better one takes over; it is also built with TSan.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from; an image is a compiled kernel. A tiered kernel begins
// with one kernel, while a better one is compiled in the background and takes over at a launch.
// `tiers` runs the compilations and counts them: compiled, taken (over), unchanged (no better one),
// failed. fake::the_machine() has the state of the fake driver. A typed_spec is a spec with the
// type of its parameters.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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
using tiered_kernel = tiered<axpby_kernel>;

// The spec of a kernel, and an image that the fake driver loads as its cubin: each number has other
// blocks of threads.
typed_spec<axpby::params> spec_number(int number) {
    return axpby::specialize({.n = 1000}, {.threads = 32 * number, .vectors = 1}, sm_90a);
}
image image_number(int number) {
    auto const spec = spec_number(number);
    std::string const text = "\177ELF" + spec.symbol + " " + '\0';
    return image_of_bytes(spec, image_kind::cubin, std::as_bytes(std::span(text)), "a test");
}
// Resets the fake driver, before anything else of the rig below is made.
image reset_machine(int number) {
    fake::the_machine().expect({});
    return image_number(number);
}

// A GPU, tiers, and a value that begins with kernel 1 and may go on with kernel 2.
struct rig {
    image first_image = reset_machine(1);
    cuda::driver driver{fake::find};
    device gpu = gpu_device(driver, 0);
    no_source none;
    spio::images images{none, none, policy::aot_only};
    spio::kernels kernels{gpu};
    config_source configs;
    std::unique_ptr<spio::tiers> tiers =
        std::make_unique<spio::tiers>(images, kernels, configs, tiers::options());
    spio::stream stream{gpu};
    tiered_kernel value{load(first_image)};
    ready_kernel const* first = &value.first().ready();

    axpby_kernel load(image const& image) const {
        return kernels.load(typed_image<axpby::params>{image, spec_number(1).grid});
    }
    // Starts a search for a better kernel in the background, which may find none.
    void improve(std::function<std::optional<image>()> find) {
        auto const find_one = [find = std::move(find)] {
            auto found = find();
            return found ? std::vector{*std::move(found)} : std::vector<image>();
        };
        value.improve<image>(*tiers, "a kernel", find_one,
                             [this](image const& found) { return load(found); });
    }
    bool is_first(tiered_kernel const& kernel) const {
        return &kernel.current(stream).ready() == first;
    }
};

} // namespace

TEST_CASE("a better kernel takes over between launches, once it is compiled") {
    rig rig;
    std::latch may_end(1);
    CHECK(rig.is_first(rig.value));
    rig.improve([&]() -> std::optional<image> {
        may_end.wait();
        return image_number(2);
    });
    auto const copy = rig.value;
    CHECK(rig.is_first(rig.value));
    CHECK(rig.tiers->count().compiled == 0);
    may_end.count_down();
    rig.tiers->wait();
    CHECK(rig.tiers->count().compiled == 1);
    CHECK(rig.tiers->count().taken == 0);
    CHECK(rig.kernels.loaded() == 1);
    CHECK(!rig.is_first(rig.value));
    CHECK(!rig.is_first(copy));
    CHECK(&copy.first().ready() == rig.first);
    CHECK(&copy.latest().ready() == &rig.value.current(rig.stream).ready());
    CHECK(rig.tiers->count().taken == 1);
    CHECK(rig.kernels.loaded() == 2);
}

TEST_CASE("the search for a better kernel begins with the launch that it waits for, or a wait") {
    rig rig;
    std::atomic<int> searched = 0;
    auto const improve = [&] { // from the second launch on
        rig.value.improve<image>(
            *rig.tiers, "a kernel", [&] { return ++searched, std::vector<image>(); },
            [&](image const& found) { return rig.load(found); }, /*keep=*/{},
            /*awaited_launches=*/2);
    };
    improve();
    CHECK(rig.is_first(rig.value));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(searched == 0);
    CHECK(rig.is_first(rig.value));
    while (searched == 0) std::this_thread::yield();
    improve();
    rig.value.prepare();
    CHECK(searched == 2);
}

TEST_CASE("nothing takes over while a stream is captured, and nothing is loaded then") {
    rig rig;
    rig.improve([] { return std::optional(image_number(2)); });
    rig.tiers->wait();
    auto const graph = rig.stream.capture([&] {
        CHECK(rig.is_first(rig.value));
        rig.value.prepare(); // it has no stream, but the thread captures
        CHECK(rig.is_first(rig.value));
    });
    CHECK(rig.kernels.loaded() == 1);
    // A capture of another library is known to its stream alone.
    cuda::context const context(rig.driver.device(0));
    cuda::stream const foreign(context);
    stream const borrowed(rig.gpu, cuda::stream_ref(foreign).handle());
    cuda::begin_capture(foreign);
    CHECK(&rig.value.current(borrowed).ready() == rig.first);
    cuda::end_capture(foreign);
    CHECK(&rig.value.current(borrowed).ready() != rig.first);
    CHECK(rig.tiers->count().taken == 1);
}

TEST_CASE("a stream whose state the driver cannot report counts as captured") {
    long call = -1;
    for (bool const has_failure : {false, true}) {
        rig rig;
        rig.improve([] { return std::optional(image_number(2)); });
        rig.tiers->wait();
        fake::the_machine().expect({.call = call, .code = 999}); // an unknown error
        CHECK(rig.is_first(rig.value) == has_failure);
        CHECK(rig.kernels.loaded() == (has_failure ? 1 : 2));
        auto const calls = fake::the_machine().calls;
        call = std::ranges::find(calls, std::string_view("cuStreamIsCapturing")) - calls.begin();
        fake::the_machine().expect({});
        CHECK(!rig.is_first(rig.value));
    }
}

TEST_CASE("prepare() waits for the better kernel and loads it") {
    rig rig;
    rig.value.prepare(); // nothing is compiled for it
    CHECK(rig.is_first(rig.value));
    rig.improve([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return std::optional(image_number(2));
    });
    rig.value.prepare();
    CHECK(rig.tiers->count().taken == 1);
    CHECK(!rig.is_first(rig.value));
}

TEST_CASE("a kernel stays where no better one is found, or one cannot be compiled or loaded") {
    rig rig;
    rig.improve([]() -> std::optional<image> { return {}; });
    rig.value.prepare();
    CHECK(rig.is_first(rig.value));
    CHECK(rig.tiers->count().unchanged == 1);
    rig.improve([]() -> std::optional<image> { throw std::runtime_error("no compiler"); });
    rig.value.prepare();
    CHECK(rig.is_first(rig.value));
    CHECK(rig.tiers->count().failed == 1);
    rig.improve([] {
        auto image = image_number(2);
        image.params_bytes = 1; // not those of the kernel: it cannot be loaded
        return std::optional(image);
    });
    rig.value.prepare();
    CHECK(rig.is_first(rig.value));
    auto const count = rig.tiers->count();
    CHECK(count.compiled == 1);
    CHECK(count.taken == 0);
    CHECK(count.failed == 2);
}

TEST_CASE("the end of the tiers waits for one compilation, drops the others, and kernels go on") {
    rig rig;
    std::latch begun(1);
    std::atomic<int> compilations = 0;
    tiered_kernel const other(rig.load(rig.first_image)), later(rig.load(rig.first_image));
    rig.improve([&, &tiers = *rig.tiers] {
        begun.count_down();
        // Goes on until the end has begun: from then on what is added is dropped at once.
        for (bool is_ending = false; !is_ending;) {
            auto mark = std::make_shared<int>();
            std::weak_ptr const added = mark;
            later.improve<image>(
                tiers, "a later kernel", [mark = std::move(mark)] { return std::vector<image>(); },
                [&](image const& found) { return rig.load(found); });
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            is_ending = added.expired();
        }
        ++compilations;
        return std::optional(image_number(2));
    });
    other.improve<image>(
        *rig.tiers, "another kernel",
        [&] {
            ++compilations;
            return std::vector{image_number(2)};
        },
        [&](image const& found) { return rig.load(found); });
    begun.wait();
    rig.tiers.reset();
    CHECK(compilations == 1);
    // What was compiled may still take over, and prepare() waits for nothing.
    rig.value.prepare();
    other.prepare();
    CHECK(!rig.is_first(rig.value));
    CHECK(rig.is_first(other));
}

TEST_CASE("nothing is compiled for a tiered kernel that is destroyed before its turn") {
    rig rig;
    std::latch begun(1), may_end(1);
    std::atomic<int> compilations = 0;
    rig.improve([&]() -> std::optional<image> {
        begun.count_down();
        may_end.wait();
        return {};
    });
    {
        tiered_kernel const brief(rig.load(rig.first_image));
        brief.improve<image>(
            *rig.tiers, "a brief one",
            [&] {
                ++compilations;
                return std::vector{image_number(2)};
            },
            [&](image const& found) { return rig.load(found); });
        begun.wait();
    }
    may_end.count_down();
    rig.tiers->wait();
    CHECK(compilations == 0);
}

TEST_CASE("threads that launch while a kernel takes over see the first or the better one") {
    for (int round = 0; round < 20; ++round) {
        rig rig;
        std::atomic<bool> is_over = false;
        std::atomic<int> wrong = 0;
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&] {
                stream const own(rig.gpu);
                ready_kernel const* seen = rig.first;
                while (!is_over) {
                    auto const* const now = &rig.value.current(own).ready();
                    // No thread goes back to the first kernel.
                    if (seen != rig.first && now != seen) ++wrong;
                    seen = now;
                }
                if (seen == rig.first && rig.value.current(own).device().arch() != sm_90a) ++wrong;
            });
        }
        rig.improve([] { return std::optional(image_number(2)); });
        rig.tiers->wait();
        while (rig.tiers->count().taken == 0) std::this_thread::yield();
        is_over = true;
        threads.clear();
        CHECK(wrong == 0);
        CHECK(rig.tiers->count().taken == 1);
        CHECK(rig.kernels.loaded() == 2);
    }
}
